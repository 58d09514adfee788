"""Words and phrases that state safety facts, in English and in the ten other languages that distilling reads."""

import functools
import re
from collections.abc import Mapping

from curator.apostrophes import respell

FACTS: Mapping[str, str] = {
    "allergy": (
        "allergic, allergy, allergies, anaphylaxis, anaphylactic, epipen, epipens, adrenaline pen, adrenaline"
        " autoinjector, get hives, gets hives, got hives, me hives, me a rash, me a bad rash, me rashes, out in a rash,"
        " out in hives, hives from, hives when, swollen throat, swell up from, swells up from, swell up when, swells up"
        " when, swell up if, swells up if, lips swell, tongue swells, face swells, throat close up, throat closes,"
        " throat closed up, throat swells, send me to hospital, sends me to hospital, send me to the hospital, sends me"
        " to the hospital, put me in hospital, puts me in hospital, put me in the hospital, puts me in the hospital,"
        " end up in hospital, end up in the hospital, end up in the emergency room, nearly died from, almost died from,"
        " could kill me, can kill me, would kill me, will kill me, kills me, nearly killed me, almost killed me, react"
        " badly to, reacts badly to, reacted badly to, go into shock, goes into shock, went into shock, up in the er,"
        " up in a&e, face blows up, face blew up, face puffs up, life-threatening for me, stop breathing, stung by a"
        " bee, stung by bees, stung by a wasp, stung by wasps, bee sting, bee stings, wasp sting, wasp stings,"
        " intolerant, intolerance, intolerances, allergisch, allergie, allergien, unverträglichkeit, allergique,"
        " intolérant, intolérante, intolérance, alérgico, alérgica, alergia, alergias, intolerante, intolerancia,"
        " intolerância, allergico, allergica, allergia, intollerante, intolleranza, uczulony, uczulona, uczulenie,"
        " alergię, nietolerancję, アレルギー, 过敏, 過敏, 알레르기, 알러지"
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
        " hemochromatosis, crohn's, ulcerative colitis, have uc, has uc, had uc, with uc, my uc, irritable bowel,"
        " phenylketonuria, lupus, multiple sclerosis, hepatitis, cirrhosis, pancreatitis, addison's, immunosuppressed,"
        " immunocompromised, eating disorder, recovering alcoholic, hypoglycaemia, hypoglycemia, sleep apnoea, sleep"
        " apnea, stoma, parkinson's, dementia, copd, pregnancy, breastfeeding, haemophilia, hemophilia, haemophiliac,"
        " hemophiliac, von willebrand, ptsd, c-ptsd, cptsd, post-traumatic stress, posttraumatic stress, anorexia,"
        " anorexic, bulimia, bulimic, binge eating, recovering addict, i'm sober, am sober, been sober, sober for,"
        " sober since, years sober, months sober, i'm an alcoholic, am an alcoholic, is an alcoholic, g6pd, favism,"
        " ileostomy, colostomy, urostomy, cystic fibrosis, immunosuppressant, immunosuppressants, mao inhibitor, mao"
        " inhibitors, maoi, maois, marcumar, coumadin, photosensitive epilepsy, implanted defibrillator, have an icd,"
        " has an icd, kidney failure, kidney disease, liver disease, heart condition, blood thinner, blood thinners,"
        " warfarin, penicillin, medication, medications, diabetiker, diabetikerin, epilepsie, herzschrittmacher,"
        " schwanger, blutverdünner, diabète, diabétique, asthme, asthmatique, épilepsie, suis enceinte, est enceinte,"
        " insuline, diabético, diabética, asma, epilepsia, embarazada, insulina, grávida, marca-passo, diabete,"
        " diabetico, diabetica, incinta, anticoagulante, zwanger, bloedverdunner, astma, cukrzycę, cukrzyca, astmę,"
        " padaczkę, padaczka, 糖尿病, 喘息, 妊娠, 哮喘, 怀孕, 懷孕, 당뇨, 천식, 임신"
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
        " humira, infliximab, rituximab, ciclosporin, mycophenolate, disulfiram, antabuse, bipolar, sodium, inhalers,"
        " turbohaler, nebuliser, nebulizer, puffs a day, puffs twice, puff twice, puff a day, symbicort, seretide,"
        " fostair, ventolin, montelukast, hrt, oestrogel, estradiol, evorel, lansoprazole, esomeprazole, sumatriptan,"
        " carbimazole, hydrocortisone, mounjaro, wegovy, gliclazide, doctor"
        " said, doctor says, blutdruck, tabletten, tension artérielle, presión arterial, pressão alta, pressione alta,"
        " bloeddruk, nadciśnienie, 高血圧, 高血压, 고혈압"
    ),
    "injury": (
        "knee, knees, bad back, back pain, back injury, back injuries, back problem, back problems, back trouble, back"
        " surgery, back operation, back is bad, back went out, back goes out, my back out, hurt my back, injured my"
        " back, hurts my back, disc in my back, slipped a disc, shoulder injury, can't lift, cannot lift, no lifting,"
        " no heavy lifting, not allowed to lift, not supposed to lift, shouldn't lift, should not lift, not to lift,"
        " can't kneel, cannot kneel, must not lift, lower back, slipped disc, slipped disk, herniated disc, herniated"
        " disk, prolapsed disc, sciatica, rotator cuff, bad shoulder, frozen shoulder, my ankle, my ankles, his ankle,"
        " her ankle, the ankle, left ankle, right ankle, bad ankle, weak ankle, weak ankles, both ankles, broken ankle,"
        " ankle injury, achilles, tendon, tendonitis, tendinitis, meniscus, ligament, ligaments, shin splints, plantar"
        " fasciitis, sprained, fractured, broken wrist, torn acl, torn muscle, torn hamstring, torn calf, torn"
        " cartilage, dislocated, arthritis, osteoarthritis, osteoporosis, vertigo, hip replacement, hip operation, knee"
        " replacement, physiotherapist, physio, hernia, rodilla, genou, bandscheibe, knie, ginocchio, joelho, kolano"
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
    "anaphylaxis, anaphylactic, epipen, epipens, adrenaline pen, adrenaline autoinjector, hospital, emergency room,"
    " intensive care, ambulance, life-threatening, deadly, deathly, fatal, severe, severely, could kill, can kill,"
    " would kill, will kill, kills me, nearly killed, almost killed, nearly died, almost died, into shock, up in the"
    " er, up in a&e, throat closes, throat closed up, throat swells, stop breathing, stops breathing, stopped"
    " breathing, can't breathe, couldn't breathe, cannot breathe, anaphylaktisch, anaphylaktischer, lebensbedrohlich,"
    " lebensbedrohliche, lebensgefährlich, krankenhaus, notarzt, anaphylactique, mortel, mortelle, hôpital, urgences,"
    " anafiláctico, anafilaxia, mortal, anafilattico, ospedale, levensgevaarlijk, ziekenhuis, anafilaksja, wstrząs,"
    " szpital, szpitala, アナフィラキシー, エピペン, 救急, 过敏性休克, 急救, 아나필락시스, 응급실"
)
"""Words of a life-threatening fact, separated by commas."""
LASTING = ("allergy", "diet", "illness", "disability", "colours")
"""Kinds that matter whatever the prompt; a treatment or injury only to prompts about its subjects."""
ANIMAL = (
    r"(?:dogs?|pupp(?:y|ies)|cats?|kittens?|rabbits?|bunn(?:y|ies)|horses?|pon(?:y|ies)|parrots?|budgies?|hamsters?"
    r"|guinea pigs?|gerbils?|ferrets?|tortoises?|goats?|hens?|terriers?|labradors?|retrievers?|spaniels?|poodles?)"
)
"""Pattern of the animals that people keep."""
_PARTNER = r"(?:wife|husband|partner|fianc[eé]e?|boyfriend|girlfriend)"
FORMER = rf"(?:ex(?:[- ]{_PARTNER}|(?![-\w]))|former {_PARTNER})"
"""Pattern of the words for a former partner."""
_CLOSE = (
    rf"(?:(?<!\bex[- ])(?<!\bformer ){_PARTNER}|hubby|(?:step)?(?:sons?|daughters?|kids?|child|children|mother|mum|mom"
    r"|father|dad|brothers?|sisters?)|baby|toddler|twins?|mummy|daddy|papa|parents?"
    r"|grand(?:ma|pa|dad|mother|father|son|daughter)|granny|family|household)"
)
CLOSE_RELATIVE = rf"{_CLOSE}(?!(?:[’']?s)?-in-law)"
"""Pattern of the words for those in the family who may live with the person, or did."""
DISTANT_RELATIVE = rf"(?:{_CLOSE}(?:s)?-in-law|aunt|auntie|uncle|cousin|niece|nephew|in-laws?)"
"""Pattern of the words for the rest of the family."""
RELATIVE = rf"(?:{_CLOSE}|aunt|auntie|uncle|cousin|niece|nephew|in-laws?)"
"""Pattern of the words for family, and for those who are as close."""
FOREIGN_RELATIVE = (
    r"\b(?:(?:a |o )?(?:minha|meus?|nossa|nosso)|ma|mon|mes|notre|nos|mis?|nuestr[oa]s?|mia|mio|mein\w*|unser\w*|mijn"
    r"|onze|ons) (?:[\w-]+ )?(?:mãe|pai|filh[oa]s?|marido|mulher|esposa|irmão?|avó|avô|mère|père|fils|filles?|mari"
    r"|femme|frère|sœur|soeur|grand-mère|grand-père|conjoint|compagn[eo]n?|madre|padre|hij[oa]s?|hermano|hermana|abuel[oa]"
    r"|figli[oa]?|marito|moglie|fratello|sorella|nonn[oa]|mutter|vater|sohn|tochter|mann|frau|bruder|schwester|oma|opa"
    r"|kind(?:er)?|moeder|vader|zoon|dochter|man|vrouw|broer|zus|kinderen|namorad[oa]|novi[oa]|freund(?:in)?|beau-\w+"
    r"|belle-\w+|enfants?|sogr[oa]|suegr[oa]|cunhad[oa]|cuñad[oa]|niñ[oa]s?|bambin[oaie]|schwieger\w+|schwager|schoon\w+)\b"
)
"""The same in other languages, with the word for "my"."""
UNSPACED = "\u3040"  # from here on letters stand in words that no space parts; a pattern of them compiles for 8 ms


@functools.cache
def words_of(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words and phrases that state facts of these kinds."""
    return tuple(dict.fromkeys(word.strip() for kind in kinds for word in FACTS[kind].split(",")))


@functools.cache
def roots_of(kinds: tuple[str, ...]) -> frozenset[str]:
    """Return the longest word of each phrase of these kinds, in lower case: no text states such a fact without one.

    Another one than "could" and "would", which are in many texts.
    """
    return frozenset(
        max(reversed(re.findall(r"\w+", phrase)), key=lambda word: len(word) * (word not in ("could", "would")))
        for phrase in words_of(kinds)
    )


@functools.cache
def pattern_of(kinds: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the statements of these kinds, for texts in lower case."""
    return phrase_pattern(words_of(kinds))


@functools.cache
def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of these phrases, as whole words where words are spaced."""
    words = sorted(phrases, key=len, reverse=True)
    spaced = "|".join(re.escape(word) for word in words if word < UNSPACED)
    unspaced = "".join(f"|{word}" for word in words if word >= UNSPACED)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w){unspaced}")


def plain_text(text: str) -> str:
    """Return a text in lower case, with plain apostrophes and those that were not typed."""
    return respell(text.casefold().replace("’", "'")).text
