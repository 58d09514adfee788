"""Facts that hurt somebody if an assistant does not know them, by the words that state them.

Which prompts they matter to is of `subjects` and `allergens`, whose they are of `concerns`. Word lists in English and,
shorter, in the ten other languages that distilling reads. The package needs the standard library only, since a hook
that must not wait reads it too.
"""

import functools
import re
from collections.abc import Mapping

from curator.apostrophes import respell

FACTS: Mapping[str, str] = {
    "allergy": (
        "allergic, allergy, allergies, anaphylaxis, anaphylactic, epipen, epipens, adrenaline pen, adrenaline"
        " autoinjector, get hives, gets hives, got hives, me hives, out in hives, hives from, hives when, swollen"
        " throat, swell up from, swells up from, swell up when, swells up when, swell up if, swells up if, lips swell,"
        " tongue swells, face swells, throat close up, throat closes, throat closed up, throat swells, send me to"
        " hospital, sends me to hospital, send me to the hospital, sends me to the hospital, put me in hospital, puts"
        " me in hospital, put me in the hospital, puts me in the hospital, end up in hospital, end up in the hospital,"
        " end up in the emergency room, nearly died from, almost died from, could kill me, can kill me, would kill me,"
        " will kill me, kills me, nearly killed me, almost killed me, react badly to, reacts badly to, reacted badly"
        " to, go into shock, goes into shock, went into shock, up in the er, up in a&e, face blows up, face blew up,"
        " face puffs up,"
        " life-threatening for me, stop breathing, stung by a bee, stung by bees, stung by a wasp, stung by wasps, bee"
        " sting, bee stings, wasp sting, wasp stings, intolerant, intolerance, intolerances, allergisch, allergie,"
        " allergien, unverträglichkeit, allergique, intolérant, intolérante, intolérance, alérgico, alérgica, alergia,"
        " alergias, intolerante, intolerancia, intolerância, allergico, allergica, allergia, intollerante,"
        " intolleranza, uczulony, uczulona, uczulenie, alergię, nietolerancję, アレルギー, 过敏, 過敏, 알레르기, 알러지"
    ),
    "diet": (
        "vegan, vegetarian, vegetarians, i'm veggie, am veggie, is veggie, are veggie, pescatarian, halal, kosher,"
        " coeliac, celiac, gluten-free, gluten free, without gluten, no gluten, lactose-free, lactose free,"
        " dairy-free, dairy free, nut-free, nut free, can't do dairy, can't do gluten, can't do lactose, tolerate"
        " milk, tolerate dairy, tolerate lactose, tolerate gluten, tolerate wheat, tolerate fructose, tolerate eggs,"
        " digest milk, digest dairy, digest lactose, digest gluten, digest fructose, out for my sake, is out for me,"
        " are out for me, off limits for me, off-limits for me, low-sodium, low-potassium, low-protein, renal diet,"
        " can't have, can't eat, can't drink, cannot have, cannot eat, cannot drink, must not have, must not eat, must"
        " not drink, veganer, veganerin, vegetarier, vegetarierin, zöliakie, glutenfrei, darf nicht essen, végan,"
        " végane, végétarien, végétarienne, cœliaque, sans gluten, vegano, vegana, vegetariano, vegetariana, celíaco,"
        " celíaca, sin gluten, sem glúten, celiaco, celiaca, senza glutine, vegetariër, glutenvrij, wegetarianinem,"
        " wegetarianką, weganinem, weganką, bez glutenu, ベジタリアン, ヴィーガン, 素食, 吃素, 채식"
    ),
    "illness": (
        "diabetes, diabetic, insulin, asthma, asthmatic, epilepsy, epileptic, seizure, seizures, pacemaker, pregnant,"
        " atrial fibrillation, arrhythmia, angina, have a stent, had a stent, he has a stent, she has a stent, father"
        " has a stent, mother has a stent, stent in my, stent in his, stent in her, stents in my, coronary stent,"
        " coronary stents, thrombosis, pulmonary embolism, aneurysm, anaemia, anemia, haemochromatosis,"
        " hemochromatosis, crohn's, ulcerative colitis, irritable bowel, phenylketonuria, lupus, multiple sclerosis,"
        " hepatitis, cirrhosis, pancreatitis, addison's, immunosuppressed, immunocompromised, eating disorder,"
        " recovering alcoholic, hypoglycaemia, hypoglycemia, sleep apnoea, sleep apnea, stoma, parkinson's, dementia,"
        " copd, pregnancy, breastfeeding, haemophilia, hemophilia, haemophiliac, hemophiliac, von willebrand, ptsd,"
        " c-ptsd, cptsd, post-traumatic stress, posttraumatic stress, anorexia, anorexic, bulimia, bulimic, binge"
        " eating, recovering addict, i'm sober, am sober, been sober, sober for, sober since, years sober, months"
        " sober, i'm an alcoholic, am an alcoholic, is an alcoholic, g6pd, favism, ileostomy, colostomy, urostomy,"
        " cystic fibrosis, immunosuppressant, immunosuppressants, mao inhibitor, mao inhibitors, maoi, maois, marcumar,"
        " coumadin, photosensitive epilepsy, implanted defibrillator, have an icd, has an icd, kidney failure, kidney"
        " disease, liver disease, heart condition, blood thinner, blood thinners, warfarin, penicillin, medication,"
        " medications, diabetiker, diabetikerin, epilepsie, herzschrittmacher, schwanger, blutverdünner, diabète,"
        " diabétique, asthme, asthmatique, épilepsie, suis enceinte, est enceinte, insuline, diabético, diabética,"
        " asma, epilepsia, embarazada, insulina, grávida, marca-passo, diabete, diabetico, diabetica, incinta,"
        " anticoagulante, zwanger, bloedverdunner, astma, cukrzycę, cukrzyca, astmę, padaczkę, padaczka, 糖尿病, 喘息,"
        " 妊娠, 哮喘, 怀孕, 懷孕, 당뇨, 천식, 임신"
    ),
    "disability": (
        "wheelchair, wheelchairs, deaf, hearing aid, hearing aids, i'm blind, am blind, is blind, was born blind,"
        " nearly blind, almost blind, half blind, going blind, gone blind, went blind, legally blind, registered blind,"
        " blind in one eye, blind in my, partially sighted, visually impaired, low vision, white cane, guide dog,"
        " screen reader, cochlear implant, cochlear implants, lip-read, lip-reads, lip read, dyslexic, dyslexia,"
        " crutches, prosthesis, can't do stairs, can't climb stairs, cannot climb stairs, can't walk far, rollstuhl,"
        " gehörlos, bin taub, bin blind, rollator, fauteuil roulant, sourd, sourde, malvoyant, malvoyante, silla de"
        " ruedas, sordo, sorda, cadeira de rodas, surdo, surda, sedia a rotelle, rolstoel, ben doof, slechthorend,"
        " wózku inwalidzkim, głuchy, głucha, niewidomy, niewidoma, 車椅子, 車いす, 轮椅, 輪椅, 휠체어"
    ),
    "colours": (
        "colour-blind, color-blind, colourblind, colorblind, colour blind, color blind, red-green blind, farbenblind,"
        " rot-grün-schwäche, daltonien, daltonienne, daltónico, daltónica, daltonico, daltonica, kleurenblind,"
        " 色盲, 색맹"
    ),
    "treatment": (
        "allopurinol, amiodarone, amlodipine, apixaban, atenolol, atorvastatin, azathioprine, bisoprolol, candesartan,"
        " carbamazepine, citalopram, clopidogrel, clozapine, dabigatran, digoxin, duloxetine, enalapril, escitalopram,"
        " fluoxetine, furosemide, gabapentin, hydroxychloroquine, lamotrigine, levetiracetam, lisinopril, losartan,"
        " methylphenidate, metoprolol, mirtazapine, olanzapine, omeprazole, pantoprazole, paroxetine, pregabalin,"
        " propranolol, quetiapine, ramipril, risperidone, rivaroxaban, rosuvastatin, salbutamol, semaglutide,"
        " sertraline, simvastatin, spironolactone, tacrolimus, tamoxifen, topiramate, valproate, valsartan,"
        " venlafaxine, antibiotic, anticoagulant, anticoagulants, antidepressant, antidepressants, aspirin, beta"
        " blocker, beta blockers, chemotherapy, cortisone, dialysis, ibuprofen, inhaler, levothyroxine, on lithium,"
        " take lithium, takes lithium, taking lithium, my lithium, metformin, methotrexate, nsaid, nsaids, painkiller,"
        " painkillers, paracetamol, prednisolone, prednisone, prescribed, sleeping pills, ssri, statin, statins, iron"
        " tablets, water tablets, mg tablets, my tablets, her tablets, his tablets, tablets a day, take tablets, takes"
        " tablets, taking tablets, arthritis, blood pressure, cancer, copd, dementia, glaucoma, gout, heart attack,"
        " heart failure, heart valve, hip operation, hip replacement, hypertension, amoxicillin, azithromycin,"
        " clindamycin, doxycycline, ciprofloxacin, eliquis, xarelto, heparin, diuretic, diuretics, amitriptyline,"
        " diazepam, lorazepam, zopiclone, tramadol, codeine, morphine, oxycodone, naproxen, diclofenac, colchicine,"
        " alendronate, ozempic, take steroids, takes steroids, taking steroids, course of steroids, steroids for,"
        " antihistamine, antihistamines, ritalin, letrozole, my inr, inr target, inr range, inr was, inr test, hba1c,"
        " potassium, cardiologist, neurologist, nephrologist, rheumatologist, oncologist, dietitian, dietician,"
        " antacid, antacids, heartburn, iron supplements, fainted, i faint, i often faint, feel faint, felt faint,"
        " faint at, faint when, dizzy spells, hot flushes, iud, hysterectomy, mastectomy, biopsy, side effect of my,"
        " side effects of my, side effects from my, kidney, kidneys, knee replacement, migraine, migraines,"
        " osteoporosis, parkinson's, reflux, had a stroke, after a stroke, my stroke, her stroke, his stroke, the"
        " stroke left, risk of stroke, thyroid, transplant, grapefruit, low-salt, phenelzine, tranylcypromine,"
        " isotretinoin, acenocoumarol, phenprocoumon, nitro spray, nitroglycerin, on chemo, having chemo, adalimumab,"
        " humira, infliximab, rituximab, ciclosporin, mycophenolate, disulfiram, antabuse, bipolar, sodium, doctor"
        " said, doctor says, blutdruck, tabletten, tension artérielle, presión arterial, pressão alta, pressione alta,"
        " bloeddruk, nadciśnienie, 高血圧, 高血压, 고혈압"
    ),
    "injury": (
        "knee, knees, bad back, back pain, back injury, back injuries, back problem, back problems, back trouble, back"
        " surgery, back operation, back is bad, back went out, back goes out, my back out, hurt my back, injured my"
        " back, hurts my back, disc in my back, slipped a disc, shoulder injury, can't lift, cannot lift, can't kneel,"
        " cannot kneel, must not lift, lower back, slipped disc, herniated disc, sciatica, rotator cuff, bad shoulder,"
        " frozen shoulder, my ankle, my ankles, his ankle, her ankle, the ankle, left ankle, right ankle, bad ankle,"
        " weak ankle, weak ankles, both ankles, broken ankle, ankle injury, achilles, tendon, tendonitis, tendinitis,"
        " meniscus, ligament, ligaments, shin splints, plantar fasciitis, sprained, fractured, broken wrist, torn acl,"
        " torn muscle, torn hamstring, torn calf, torn cartilage, dislocated, arthritis, osteoarthritis, osteoporosis,"
        " vertigo, hip replacement, hip operation, knee replacement, physiotherapist, physio, hernia, rodilla, genou,"
        " bandscheibe, knie, ginocchio, joelho, kolano"
    ),
    "hearing": (
        "hearing problem, hearing problems, hearing loss, hearing impairment, hearing is bad, hard of hearing,"
        " tinnitus, hear badly, hear little, hear nothing, schwerhörig, malentendant, acouphènes"
    ),
    "bleeding": (
        "warfarin, blood thinner, blood thinners, apixaban, rivaroxaban, dabigatran, edoxaban, eliquis, xarelto,"
        " heparin, clopidogrel, anticoagulant, anticoagulants, marcumar, coumadin, acenocoumarol, phenprocoumon,"
        " haemophilia, hemophilia, haemophiliac, hemophiliac, von willebrand, low platelets, bleed easily, bleeds"
        " easily, bleeding disorder, clotting disorder, blutverdünner, anticoagulante, bloedverdunner"
    ),
    "collapse": (
        "epilepsy, epileptic, seizure, seizures, vertigo, ménière's, meniere's, narcolepsy, cataplexy, blackouts,"
        " black out, blacks out, passes out, fainted, i faint, i often faint, feel faint, felt faint, faint at, faint"
        " when, faints, dizzy spells, bad balance, balance problems, poor balance, parkinson's, osteoporosis, brittle"
        " bones, pregnant, afraid of heights, fear of heights, arrhythmia, nearly blind, epilepsie, épilepsie,"
        " epilepsia, padaczkę, padaczka, schwanger"
    ),
    "flicker": (
        "epilepsy, epileptic, seizure, seizures, migraine, migraines, flickering light, flickering lights, flashing"
        " light, flashing lights, strobe, strobes, photosensitive, concussion, epilepsie, épilepsie, epilepsia,"
        " padaczkę, padaczka"
    ),
    "trauma": (
        "ptsd, c-ptsd, cptsd, post-traumatic stress, posttraumatic stress, panic attacks, panic attack, panic disorder,"
        " flashbacks, bangs set, loud bangs, claustrophobic, claustrophobia, agoraphobia, psychosis, schizophrenia"
    ),
    "weight": (
        "anorexia, anorexic, bulimia, bulimic, eating disorder, binge eating, diabetes, diabetic, insulin, pregnant,"
        " breastfeeding, gout, kidneys, kidney disease, magersucht, anorexie, anoressia"
    ),
    "alcohol": (
        "recovering alcoholic, i'm an alcoholic, am an alcoholic, is an alcoholic, recovering addict, i'm sober, am"
        " sober, been sober, sober for, sober since, years sober, months sober, halal, disulfiram, antabuse,"
        " metronidazole, pregnant, breastfeeding, hepatitis, cirrhosis, liver disease, pancreatitis, migraine,"
        " migraines, red wine gives, alcohol gives, mao inhibitor, mao inhibitors, maoi, maois, phenelzine,"
        " tranylcypromine, methotrexate, epilepsy, epileptic, seizures, insulin, diabetes, diabetic, gout, bipolar, on"
        " lithium, take lithium, takes lithium, diazepam, lorazepam, zopiclone, tramadol, codeine, morphine, oxycodone,"
        " warfarin, blood thinner, blood thinners, sulphites, histamine, gluten, coeliac, celiac, schwanger, trockener"
        " alkoholiker"
    ),
    "mood": (
        "recovering alcoholic, i'm an alcoholic, am an alcoholic, recovering addict, i'm sober, am sober, been sober,"
        " sober for, sober since, years sober, months sober, bipolar, ptsd, c-ptsd, cptsd, post-traumatic stress,"
        " suicidal, self-harm, self-harmed, panic attacks, panic disorder, psychosis, schizophrenia"
    ),
    "sight": (
        "i'm blind, am blind, is blind, was born blind, nearly blind, almost blind, half blind, going blind, gone"
        " blind, went blind, legally blind, registered blind, blind in one eye, blind in my, partially sighted,"
        " visually impaired, low vision, macular degeneration, retinitis pigmentosa, glaucoma, cataract, cataracts,"
        " white cane, guide dog, screen reader, can't see, bin blind, malvoyant, malvoyante, niewidomy, niewidoma"
    ),
    "sun": (
        "doxycycline, isotretinoin, amiodarone, methotrexate, lupus, lupus-like, porphyria, albinism, albino,"
        " vitiligo, melanoma, skin cancer, photosensitive, photosensitivity, sun burns me, sensitive to the sun,"
        " sensitive to sun, sensitive to sunlight, sun allergy, sun gives, bit of sun, allergic to the sun, allergic to"
        " sunlight, sun rash, azathioprine, immunosuppressants, transplant, hydroxychloroquine, multiple sclerosis"
    ),
    "germs": (
        "immunosuppressed, immunocompromised, immunosuppressant, immunosuppressants, transplant, chemo, chemotherapy,"
        " methotrexate, azathioprine, tacrolimus, ciclosporin, mycophenolate, prednisolone, prednisone, adalimumab,"
        " humira, infliximab, rituximab, neutropenia, leukaemia, leukemia, lymphoma, myeloma, no spleen, spleen"
        " removed, weak immune system, cystic fibrosis, pregnant, schwanger, enceinte, embarazada, incinta, zwanger"
    ),
    "implants": (
        "pacemaker, implanted defibrillator, have an icd, has an icd, cochlear implant, cochlear implants, insulin"
        " pump, on a pump, neurostimulator, brain stimulator, aneurysm clip, brain shunt, herzschrittmacher,"
        " marca-passo"
    ),
    "stoma": "stoma, ileostomy, colostomy, urostomy",
    "enzyme": "g6pd, favism",
    "airways": "hay fever, hayfever, heuschnupfen, rhume des foins, pollen",
}
"""Words and phrases of each kind of fact, separated by commas."""
GRAVE = (
    "anaphylaxis, anaphylactic, epipen, epipens, adrenaline pen, adrenaline autoinjector, hospital,"
    " emergency room, intensive care, ambulance, life-threatening, deadly, deathly, fatal, severe,"
    " severely, could kill, can kill, would kill, will kill, kills me, nearly killed, almost killed, nearly died,"
    " almost died, into shock, up in the er, up in a&e,"
    " throat closes, throat closed up, throat swells, stop breathing, stops breathing, stopped breathing,"
    " can't breathe, couldn't breathe,"
    " cannot breathe, anaphylaktisch, anaphylaktischer, lebensbedrohlich, lebensbedrohliche,"
    " lebensgefährlich, krankenhaus, notarzt, anaphylactique, mortel, mortelle, hôpital, urgences,"
    " anafiláctico, anafilaxia, mortal, anafilattico, ospedale, levensgevaarlijk, ziekenhuis, anafilaksja,"
    " wstrząs, szpital, szpitala, アナフィラキシー, エピペン, 救急, 过敏性休克, 急救, 아나필락시스, 응급실"
)
"""Words of a fact that may cost a life, separated by commas."""
LASTING = ("allergy", "diet", "illness", "disability", "colours")
"""Kinds that matter whatever the prompt; a treatment or injury only to prompts about its subjects."""
_PART = re.compile(r"\w+")
_CLAUSE = re.compile(r"[,;:.!?]\s+|\s[-–—]\s|\s(?:and|but|while|so|plus)\s|\n+", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"(?:can't|cannot|must not) have (?:(?:an?|any|back-to-back|big|early|evening|late|long|many|more|morning|my|new"
    r"|our|other|phone|the|too|two|video) ){0,3}(?:access|animals?|appointments?|calls?|cats?|children|dates?"
    r"|deadlines?|dogs?|duplicates?|errors?|events?|friends|guests?|holidays?|it both ways|jobs?|kids|meetings?"
    r"|pets?|phones?|plans|quiet|secrets|side effects|silence|time|vacations?|visitors?)\b"
    r"|\btone-deaf\b|\bdeaf ears\b"
    r"|\b(?:he|she|they|you|boss|bosses|manager|team|clients?|customers?|teacher|landlord|wife|husband|partner|girlfriend"
    r"|boyfriend|mom|mum|mother|dad|father|parents|sister|brother|kids|deadlines?|meetings?|commute|traffic|suspense"
    r"|puns?|jokes?|homework|job|boredom|curiosity|mondays?) (?:(?:literally|really|just|probably) )?"
    r"(?:could|can|would) kill me\b"
    r"|\b(?:nearly|almost) died from (?:laugh|embarrass|boredom|shame|shock|cringe)"
    r"|\ballerg(?:ic|y|ies) to (?:(?:(?:all|any|the|these|your|my|early|hard|more|small|long|corporate|bad) )*"
    r"(?:boilerplate|bs|bullshit|bureaucracy|buzzwords|chores|clich[eé]s|commitment|complexity|conflict|criticism"
    r"|deadlines|delays?|drama|effort|emails?|emojis?|excuses|failure|fluff|hassle|homework|housework|hype|ironing"
    r"|jargon|java|javascript|lateness|losing|magic|management|meetings?|mess|mondays?|mornings?|noise|nonsense"
    r"|optimism|paperwork|php|politics|powerpoint|praise|queues|rules|sarcasm|smalltalk|speak|spreadsheets|stupidity"
    r"|talk|waiting|waking up|winter|work|working|adulting|authority|capitalism|cardio|change"
    r"|compliments|crowds|excel|feelings|fun|inboxes|instagram|jira|linkedin|love|money|monday mornings|relationships"
    r"|responsibility|school|silence|small talk|studying|taxes|technology|tiktok|twitter)(?:, | and | or |, and )?)+"
    r"(?= ?(?:$|[.;:!?)]|(?:lol|lmao|haha+)\b|[\u2600-\u27bf\U0001f300-\U0001faff]|,? ?(?:but|so|before|please|keep"
    r"|and (?:i|i'm|my|married|proud))\b))"
    r"|\bnot (?:\w+ )?allergic to anything\b(?! (?:but|except|other|else|apart|besides))"
    r"|(?:\bno|\bnot have any|n't have any|\bwithout) (?:known |food |drug )*allergies\b"
    r"(?! (?:but|except|other|apart|besides))"
)
"""Things that one cannot have and does not eat; sayings; jokes about what is no substance; denials of allergies."""
_TO_PERSON = re.compile(
    r"\ballerg(?:ic|y|ies) to (?:(?:my|our|his|her|their|your|this|the|that|all|other|most|some|stupid|rude|annoying"
    r"|small|loud|old|new|crazy|horrible) ){0,3}(?:(?:mother|father|sister|brother|son|daughter)s?-in-law|in-laws"
    r"|(?:ex(?:-(?:boss|wife|husband|boyfriend|girlfriend))?|boss(?:es)?|managers?|ceo|supervisors?|colleagues?|co-?workers?"
    r"|landlord|landlady|neighbou?rs?|teachers?|professors?|clients?|customers?|recruiters?|lawyers?|politicians?|people"
    r"|humans?|humanity|idiots?|morons?|fools?|liars?|men|women|kids|children|teenagers|toddlers|husband|wife|boyfriend"
    r"|girlfriend|fianc[eé]e?|mother|father|mum|mom|dad|parents?|brothers?|sisters?|cousins?|uncle|aunt|relatives|family"
    r"|roommates?|flatmates?|housemates?|you|myself|everyone|everybody|company|team|job))(?![\w'’-])"
    r"(?= *(?:$|[^\w\s'’-]|(?:who|that|which|with|at|in|on|when|every|this|and|but|so|or|lol|lmao|haha\w*|sorry|tbh|ngl"
    r"|honestly|again|before|after|right|today|now|because|these|like|already)\b))",
    re.IGNORECASE,
)
"""An allergy to somebody, which is a joke; one to a shampoo for kids is none."""
_FIRST_NAMES = (
    "adele amanda andrew anthony ashley boris brian britney celine charles daniel david donald ed ellen elon emily emma"
    " eric gordon hillary james jason jeff jennifer jessica joe julia justin kanye karen kevin kim kylie laura linda"
    " lisa mariah matthew melissa michelle miley nancy nicole nigel oprah peter piers richard robert ryan sandra sarah"
    " simon stephen steve susan taylor thomas tim william"
)
"""First names of people, but those of what is sold: "Jack Daniels", "Mary Kay"."""
_TO_NAMED = re.compile(
    r"\ballergic to (?-i:(?=[A-Z]))(?:"
    + "|".join(_FIRST_NAMES.split())
    + r") (?-i:[A-Z][\w'’-]+)(?=\s?(?:[^\w\s'’/&-]|$)"
    r"|\s(?:at|in|on|when|every|this|and|but|so|lol|lmao|haha\w*|sorry|tbh|ngl|honestly|again)\b)",
    re.IGNORECASE,
)
"""An allergy to what is named as people are: a joke if the text is marked as one."""
_JOKING = re.compile(
    r"\bi swear\b|\b(?:lol|lmao|rofl|hehe|haha\w*|jk|kidding|sorry|ngl)\b|\btime of (?:the )?year\b"
    r"|[;:]-?[)DP](?!\w)|\^\^"
    r"|[\U0001f600-\U0001f606\U0001f609\U0001f61c\U0001f61d\U0001f643\U0001f644\U0001f605\U0001f923\U0001f92a]",
    re.IGNORECASE,
)
_EARNEST = re.compile(
    r"\b(?:really|seriously|for real|no joke|not (?:joking|kidding)|epipens?|hives|rash\w*|itch\w*|swell\w*|swollen"
    r"|react\w*|anaphyla\w*|hospital|sever\w*|diagnosed|tested|intoleran\w*|asthma|breath\w*)\b",
    re.IGNORECASE,
)
"""Words of a text that tells of a true allergy, whatever it is to."""
_IF_NAMED = re.compile(
    r"\b(?:(?:will kill|kills|(?:nearly|almost) killed) me|react(?:s|ed)? badly to|(?:go(?:es)?|went) into shock"
    r"|up in (?:the er|a&e)|face (?:blows|blew|puffs) up)(?!\w)"
)
"""Phrases that state a fact only if the text names an allergen, unlike "the stairs nearly killed me"."""
_NOT_GRAVE = re.compile(
    r"\b(?:work|works|worked|working|volunteer|volunteers|job|nurse|doctor|shifts?) (?:in|at|for) "
    r"(?:(?:an?|the|our|my) )?(?:[\w'-]+ )?hospital\b"
    r"|\b(?:not|no|never|isn't|aren't|wasn't|don't|doesn't|didn't) (?:(?:an?|any|been|even|have|in|me|put|really"
    r"|send|sent|so|that|the|to|too|very) ){0,5}"
    r"(?:severe|severely|life-threatening|deadly|deathly|fatal|hospital|emergency room|intensive care)\b"
)
"""Places of work, and denials that a fact is grave."""
_ENDED = re.compile(r"\b(?:outgr[eo]wn?|any ?more|gone|cured)\b")
_DENIED = re.compile(r"(?:\b(?:no|not|never|without)|n't) ((?:[\w'-]+ ){0,6}[\w'-]+)")
ANIMAL = (
    r"(?:dogs?|pupp(?:y|ies)|cats?|kittens?|rabbits?|bunn(?:y|ies)|horses?|pon(?:y|ies)|parrots?|budgies?|hamsters?"
    r"|guinea pigs?|gerbils?|ferrets?|tortoises?|goats?|hens?|terriers?|labradors?|retrievers?|spaniels?|poodles?)"
)
"""Pattern of the animals that people keep."""
_PARTNER = r"(?:wife|husband|partner|fianc[eé]e?|boyfriend|girlfriend)"
FORMER = rf"(?:ex(?:[- ]{_PARTNER}|(?![-\w]))|former {_PARTNER})"
"""Pattern of the words for a former partner."""
RELATIVE = (
    rf"(?:(?<!\bex[- ])(?<!\bformer ){_PARTNER}|sons?|daughters?|kids?|child|children|baby|twins?|mother"
    r"|mum|mom|father|dad|parents?|brothers?|sisters?|grand(?:ma|pa|mother|father|son|daughter)|aunt|uncle|cousin|niece"
    r"|nephew|in-laws?|family|household)"
)
"""Pattern of the words for family, and for those who are as close."""
_OF_ANIMAL = re.compile(
    rf"\b{ANIMAL}(?: [\w-]+)?(?: \w+ly)? (?:has|have|had|takes?|is|are|was|needs?|gets?|can't|cannot|must|suffers?)\b"
)
_OF_VET = re.compile(r"\b(?:the |our )?vet(?:'s| says| said)?\b|\bkibble\b")
_OF_PERSON = re.compile(r"\b(?:i|i'm|me|my|we|us|our|(?:to|on|from|of) (?:cats?|dogs?|fur|animals?))\b")
_GOES_ON = re.compile(r"\W*(?:also )?(?:takes?|needs?|has|is|gets?|eats|can't|cannot|must|on)\b")  # of the same one
UNSPACED = "\u3040"  # from here on letters stand in words that no space parts; a pattern of them compiles for 8 ms


@functools.cache
def words_of(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words and phrases that state facts of these kinds."""
    return tuple(dict.fromkeys(word.strip() for kind in kinds for word in FACTS[kind].split(",")))


@functools.cache
def roots_of(kinds: tuple[str, ...]) -> frozenset[str]:
    """Return the longest word of each phrase that states such a fact, in lower case: no text states one without it.

    Another one than "could" and "would", which are in many texts.
    """
    return frozenset(
        max(reversed(re.findall(r"\w+", phrase)), key=lambda word: len(word) * (word not in ("could", "would")))
        for phrase in words_of(kinds)
    )


def states(text: str, kinds: tuple[str, ...] = LASTING) -> bool:
    """Return True for a statement of such a fact: an allergy, a diet, an illness, a medication, a disability.

    Most texts have none of the words, which is known in a tenth of the time.
    """
    typed = text.casefold()
    if roots_of(kinds).isdisjoint(_PART.findall(typed)) and max(typed, default="") < UNSPACED:
        return False
    return pattern_of(kinds).search(_meant(text)) is not None


def _meant(text: str) -> str:
    """Return a text in lower case without what is no such fact."""
    return _without_sayings(plain_text(without_jokes(text)))


def without_jokes(text: str) -> str:
    """Return a text without allergies to people: "allergic to my boss", "allergic to Mariah Carey lol".

    One that also names an allergen, or tells of a reaction, is left as it is: a true allergy is worse to miss.
    """
    named = _TO_NAMED.search(text) and _JOKING.search(text)
    if not (named or _TO_PERSON.search(text)) or _EARNEST.search(text):
        return text
    from curator.safety.allergens import names_allergen

    if names_allergen(plain_text(text)):
        return text
    return _TO_PERSON.sub("", _TO_NAMED.sub("", text) if named else text)


def words_in(plain: str, kinds: tuple[str, ...]) -> set[str]:
    """Return the words and phrases of such facts in a text in lower case, but those in what is no such fact."""
    return {found[0] for found in pattern_of(kinds).finditer(_without_sayings(plain))}


def _without_sayings(plain: str) -> str:
    """Return a text in lower case without what is no such fact."""
    plain = _OTHERWISE.sub("", plain)
    if _IF_NAMED.search(plain) is None:
        return plain
    from curator.safety.allergens import names_allergen

    return plain if names_allergen(plain) else _IF_NAMED.sub("", plain)


def is_of_animal(text: str, kinds: tuple[str, ...]) -> bool:
    """Return True if all that a text states of these kinds is of an animal."""
    plain = plain_text(text)
    if _OF_ANIMAL.search(plain) is None:
        return _OF_VET.search(plain) is not None and _OF_PERSON.search(plain) is None
    of_animal = False
    for clause in map(plain_text, _CLAUSE.split(text)):
        of_animal = _OF_ANIMAL.search(clause) is not None or (of_animal and _GOES_ON.match(clause) is not None)
        if not of_animal and states(clause, kinds):
            return False
    return True


def is_grave(text: str) -> bool:
    """Return True for a statement of a fact that may cost a life, which nothing milder replaces."""
    if not states(text):
        return False
    meant = _NOT_GRAVE.sub("", _meant(text))
    return _phrases(tuple(GRAVE.split(", "))).search(meant) is not None


def may_deny(text: str) -> bool:
    """Return True for a statement that such a fact is none, or is over: "no longer allergic", "my allergy is gone"."""
    if not states(text):
        return False
    plain, fact = plain_text(text), pattern_of(LASTING)
    return _ENDED.search(plain) is not None or any(fact.search(one[1]) for one in _DENIED.finditer(plain))


def beside_others(text: str) -> list[str]:
    """Return the clauses of a text that state such facts, if it has several clauses; none if it has one."""
    found = clauses(text)
    return [clause for clause in found if states(clause)] if len(found) > 1 else []


def clauses(text: str) -> list[str]:
    """Return the clauses of a text."""
    return [clause for clause in _CLAUSE.split(text) if _PART.search(clause)]


@functools.cache
def pattern_of(kinds: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the statements of such facts, for texts in lower case."""
    return _phrases(words_of(kinds))


@functools.cache
def _phrases(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = sorted(phrases, key=len, reverse=True)
    spaced = "|".join(re.escape(word) for word in words if word < UNSPACED)
    unspaced = "".join(f"|{word}" for word in words if word >= UNSPACED)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w){unspaced}")


def plain_text(text: str) -> str:
    """Return a text in lower case, with plain apostrophes and those that were not typed."""
    return respell(text.casefold().replace("’", "'")).text
