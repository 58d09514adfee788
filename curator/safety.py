"""Facts that hurt somebody if an assistant does not know them, and the prompts that are about their subjects.

Word lists in English and, shorter, in the ten other languages that distilling reads. Needs the standard library only,
since a hook that must not wait reads them too.
"""

import functools
import re
from collections.abc import Mapping

from curator.allergens import Allergen, allergens
from curator.apostrophes import respell

FACTS: Mapping[str, str] = {
    "allergy": (
        "allergic, allergy, allergies, anaphylaxis, anaphylactic, epipen, epipens, adrenaline pen, adrenaline"
        " autoinjector, get hives, gets hives, got hives, me hives, out in hives, hives from, hives when,"
        " swollen throat, throat closes, throat closed up, throat swells, send me to hospital, sends me to"
        " hospital, send me to the hospital, sends me to the hospital, put me in hospital, puts me in"
        " hospital, put me in the hospital, puts me in the hospital, end up in hospital, end up in the"
        " hospital, end up in the emergency room, nearly died from, almost died from, could kill me, can kill"
        " me, would kill me, life-threatening for me, stop breathing, stung by a bee, stung by bees, stung by"
        " a wasp, stung by wasps, bee sting, bee stings, wasp sting, wasp stings, intolerant, intolerance,"
        " intolerances, allergisch, allergie, allergien, unverträglichkeit, allergique, intolérant,"
        " intolérante, intolérance, alérgico, alérgica, alergia, alergias, intolerante, intolerancia,"
        " intolerância, allergico, allergica, allergia, intollerante, intolleranza, uczulony, uczulona,"
        " uczulenie, alergię, nietolerancję, アレルギー, 过敏, 過敏, 알레르기, 알러지"
    ),
    "diet": (
        "vegan, vegetarian, vegetarians, i'm veggie, am veggie, is veggie, are veggie, pescatarian, halal, kosher,"
        " coeliac, celiac, gluten-free, lactose-free,"
        " dairy-free, low-sodium, low-potassium, low-protein, renal diet, can't have, can't eat, can't drink, cannot"
        " have, cannot eat, cannot drink, must not have, must not eat, must not drink, veganer, veganerin,"
        " vegetarier, vegetarierin, zöliakie, glutenfrei, darf nicht essen, végan, végane, végétarien, végétarienne,"
        " cœliaque, sans gluten, vegano, vegana, vegetariano, vegetariana, celíaco, celíaca, sin gluten, sem glúten,"
        " celiaco, celiaca, senza glutine, vegetariër, glutenvrij, wegetarianinem, wegetarianką, weganinem, weganką,"
        " bez glutenu, ベジタリアン, ヴィーガン, 素食, 吃素, 채식"
    ),
    "illness": (
        "diabetes, diabetic, insulin, asthma, asthmatic, epilepsy, epileptic, seizure, seizures, pacemaker, pregnant,"
        " atrial fibrillation, arrhythmia, angina, have a stent, had a stent, he has a stent, she has a stent, father"
        " has a stent, mother has a stent, stent in my, stent in his, stent in her, stents in my, coronary stent,"
        " coronary stents, thrombosis, pulmonary embolism, aneurysm, anaemia, anemia, haemochromatosis,"
        " hemochromatosis, crohn's, ulcerative colitis, irritable bowel, phenylketonuria, lupus, multiple sclerosis,"
        " hepatitis, cirrhosis, pancreatitis, addison's, immunosuppressed, immunocompromised, eating disorder,"
        " recovering alcoholic, hypoglycaemia, hypoglycemia, sleep apnoea, sleep apnea, stoma, parkinson's, dementia,"
        " copd, pregnancy, breastfeeding, haemophilia, hemophilia, kidney disease, liver disease, heart condition,"
        " blood thinner, blood thinners, warfarin, penicillin, medication, medications, diabetiker, diabetikerin,"
        " epilepsie, herzschrittmacher, schwanger, blutverdünner, diabète, diabétique, asthme, asthmatique, épilepsie,"
        " suis enceinte, est enceinte, insuline, diabético, diabética, asma, epilepsia, embarazada, insulina, grávida,"
        " marca-passo, diabete, diabetico, diabetica, incinta, anticoagulante, zwanger, bloedverdunner, astma,"
        " cukrzycę, cukrzyca, astmę, padaczkę, padaczka, 糖尿病, 喘息, 妊娠, 哮喘, 怀孕, 懷孕, 당뇨, 천식, 임신"
    ),
    "disability": (
        "wheelchair, wheelchairs, deaf, hearing aid, hearing aids, i'm blind, am blind, is blind, was born blind,"
        " dyslexic, dyslexia, crutches, prosthesis, can't do"
        " stairs, can't climb stairs, cannot climb stairs, can't walk far, rollstuhl, gehörlos, bin taub, bin blind,"
        " rollator, fauteuil roulant, sourd, sourde, malvoyant, malvoyante, silla de ruedas, sordo, sorda, cadeira de"
        " rodas, surdo, surda, sedia a rotelle, rolstoel, ben doof, slechthorend, wózku inwalidzkim, głuchy, głucha,"
        " niewidomy, niewidoma, 車椅子, 車いす, 轮椅, 輪椅, 휠체어"
    ),
    "colours": (
        "colour-blind, color-blind, colourblind, colorblind, colour blind, color blind, red-green blind, farbenblind,"
        " rot-grün-schwäche, daltonien, daltonienne, daltónico, daltónica, daltonico, daltonica, kleurenblind,"
        " 色盲, 색맹"
    ),
    "treatment": (
        "allopurinol, amiodarone, amlodipine, apixaban, atenolol, atorvastatin, azathioprine, bisoprolol,"
        " candesartan, carbamazepine, citalopram, clopidogrel, clozapine, dabigatran, digoxin, duloxetine, enalapril,"
        " escitalopram, fluoxetine, furosemide, gabapentin, hydroxychloroquine, lamotrigine, levetiracetam,"
        " lisinopril, losartan, methylphenidate, metoprolol, mirtazapine, olanzapine, omeprazole, pantoprazole,"
        " paroxetine, pregabalin, propranolol, quetiapine, ramipril, risperidone, rivaroxaban, rosuvastatin,"
        " salbutamol, semaglutide, sertraline, simvastatin, spironolactone, tacrolimus, tamoxifen, topiramate,"
        " valproate, valsartan, venlafaxine, antibiotic, anticoagulant, anticoagulants, antidepressant,"
        " antidepressants, aspirin, beta blocker, beta blockers, chemotherapy, cortisone, dialysis, ibuprofen,"
        " inhaler, levothyroxine, on lithium, take lithium, takes lithium, taking lithium, my lithium, metformin,"
        " methotrexate, nsaid, nsaids, painkiller, painkillers, paracetamol, prednisolone, prednisone, prescribed,"
        " sleeping pills, ssri, statin, statins, iron tablets, water tablets, mg tablets, my tablets, her tablets, his"
        " tablets, tablets a day, take tablets, takes tablets, taking tablets, arthritis, blood pressure, cancer,"
        " copd, dementia, glaucoma, gout, heart attack, heart failure, heart valve, hip operation, hip replacement,"
        " hypertension, amoxicillin, azithromycin, clindamycin, doxycycline, ciprofloxacin, eliquis, xarelto, heparin,"
        " diuretic, diuretics, amitriptyline, diazepam, lorazepam, zopiclone, tramadol, codeine, morphine, oxycodone,"
        " naproxen, diclofenac, colchicine, alendronate, ozempic, take steroids, takes steroids, taking steroids,"
        " course of steroids, steroids for, antihistamine, antihistamines, ritalin, letrozole, my inr, inr target, inr"
        " range, inr was, inr test, hba1c, potassium, cardiologist, neurologist, nephrologist, rheumatologist,"
        " oncologist, dietitian, dietician, antacid, antacids, heartburn, iron supplements, fainted, i faint, i often"
        " faint, feel faint, felt faint, faint at, faint when, dizzy spells, hot flushes, iud, hysterectomy,"
        " mastectomy, biopsy, side effect of my, side effects of my, side effects from my, kidney, kidneys, knee"
        " replacement, migraine, migraines, osteoporosis, parkinson's, reflux, had a stroke, after a stroke, my"
        " stroke, her stroke, his stroke, the stroke left, risk of stroke, thyroid, transplant, grapefruit, low-salt,"
        " sodium, doctor said, doctor says, blutdruck, tabletten, tension artérielle, presión arterial, pressão alta,"
        " pressione alta, bloeddruk, nadciśnienie, 高血圧, 高血压, 고혈압"
    ),
    "injury": (
        "knee, knees, bad back, back pain, lower back, slipped disc, herniated disc, sciatica, rotator cuff, bad"
        " shoulder, frozen shoulder, my ankle, my ankles, his ankle, her ankle, the ankle, left ankle, right ankle,"
        " bad ankle, weak ankle, weak ankles, both ankles, broken ankle, ankle injury, achilles, tendon, tendonitis,"
        " tendinitis, meniscus, ligament, ligaments, shin splints, plantar fasciitis, sprained, fractured, broken"
        " wrist, torn acl, torn muscle, torn hamstring, torn calf, torn cartilage, dislocated, arthritis,"
        " osteoarthritis, osteoporosis, vertigo, hip replacement, hip operation, knee replacement, physiotherapist,"
        " physio, hernia, rodilla, genou, bandscheibe, knie, ginocchio, joelho, kolano"
    ),
}
"""Words and phrases of each kind of fact, separated by commas."""
GRAVE = (
    "anaphylaxis, anaphylactic, epipen, epipens, adrenaline pen, adrenaline autoinjector, hospital,"
    " emergency room, intensive care, ambulance, life-threatening, deadly, deathly, fatal, severe,"
    " severely, could kill, can kill, would kill, nearly killed, almost killed, nearly died, almost died,"
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
SUBJECTS: Mapping[str, str] = {
    "food": (
        "appetizer appetizers ate baked bakery baking barbecue bbq biscuit biscuits bread breakfast brunch buffet"
        " cake cakes catering cereal cheese chicken chocolate cocktail cocktails cook cooked cooking cooks curry"
        " dessert desserts diet dinner dinners dish dishes drink drinks eat eating eats food foods groceries bake"
        " broccoli brownies burger burgers butter cabbage cheesecake dumplings eggs flour fruit granola hummus kale"
        " lentils milk muffins mushrooms noodles nuts oats pancakes porridge potatoes prawns pudding ramen spinach"
        " sushi tofu tomatoes tuna waffles yoghurt yogurt grocery guests hungry ingredient ingredients juice kibble"
        " lasagna lasagne lunch lunches meal meals muesli nutrition pasta pesto picnic pizza potluck recipe recipes"
        " restaurant restaurants rice salad sandwich sandwiches sauce smoothie snack snacks soup stew supper sweets"
        " takeaway takeout veggie vegetables abendessen backe backen essen frühstück gekocht gericht koche kochen"
        " kuchen mittagessen rezept rezepte cuisine cuisiner déjeuner dîner gâteau manger recette recettes repas"
        " almuerzo cena cenar cocinar comer comida desayuno postre receta recetas almoço bolo cozinhar jantar"
        " receita receitas sobremesa colazione cucinare cucino dolce mangiare pranzo ricetta ricette torta avondeten"
        " bakken eten koken lunch recept recepten taart ciasto gotować jeść kolacja kolację obiad przepis przepisy"
        " ugotować upiec śniadanie 料理 レシピ 夕食 夕飯 昼食 朝食 晩ご飯 献立 弁当 菜谱 食谱 晚饭 晚餐 午饭 午餐"
        " 早餐 做饭 做菜 吃什么 요리 레시피 저녁밥 점심밥 식사 반찬"
        " 먹을"
    ),
    "health": (
        "abscess acupuncture anaesthesia anaesthetic anaesthetist anesthesia anesthetic antihistamine augmentin"
        " constipation cramps diarrhea diarrhoea dizzy dosage heartburn"
        " herbal infected infection insomnia mri reflux sauna tattoo allergic allergies allergy antibiotic antibiotics"
        " bracelet clinic cosmetics cough dental dentist doctor earring earrings fever flu headache headaches hospital"
        " hurts immunisation immunization jab jabs jewellery jewelry medical medication medications medicine"
        " medicines migraine nausea necklace ointment"
        " painkiller painkillers pharmacist pharmacy prescription rash studs supplement supplements surgeon surgery"
        " symptoms vaccination vaccine vitamin vitamins vomit vomited vomiting apotheke arzt kopfschmerzen"
        " medikament medikamente schmerzen tablette tabletten zahnarzt ärztin dentiste douleur médecin médicament"
        " médicaments ordonnance pharmacie dentista dolores duele farmacia medicamento medicamentos médico pastilla"
        " dor farmácia remédio comprimido dolore farmaco medicina apotheek hoofdpijn huisarts medicijn medicijnen pijn"
        " tandarts apteka ból dentysta leki lekarz tabletki 薬 医者 歯医者 頭痛 病院 药 藥 医生 醫生 牙医 头痛 医院"
        " 두통 병원 의사 치과 약국"
    ),
    "outings": (
        "camping elevator flight flights hike hikes hiking holiday holidays hostel hotel hotels itinerary museum"
        " picnic restaurant restaurants sightseeing stairs theatre travel travelling traveling trip trips vacation"
        " venue venues wedding ausflug flug reise reisen urlaub wanderung zugreise randonnée vacances valise voyage"
        " excursión maleta vacaciones viaje vuelo férias passeio viagem gita vacanza vacanze valigia viaggio volo"
        " reis uitstapje vakantie vlucht podróż wakacje wycieczka 旅行 ホテル 荷造り 酒店 行李 여행 호텔"
    ),
    "exercise": (
        "cardio crossfit deadlift deadlifts fitness gym hiit jog jogging marathon pilates physio skiing squats"
        " stretches stretching triathlon workout workouts yoga entrenamiento gimnasio entraînement randonnée"
        " trainingsplan allenamento palestra treino academia hardlopen trening bieganie"
    ),
    "colours": (
        "chart charts graph graphs diagram diagrams heatmap infographic palette palettes colormap colour colours color"
        " colors dashboard diagramm diagramme farbe farben graphique graphiques couleur couleurs gráfico gráficos"
        " grafico grafici colori grafiek kleuren wykres kolory"
    ),
    "animals": "vet vets tierarzt vétérinaire veterinario veterinaria dierenarts weterynarz",
}
"""Words of prompts about each subject."""
PHRASES: Mapping[str, str] = {
    "food": "pastel de, un pastel",
    "health": (
        "my bloods, blood test, my gp, the gp, see a gp, gp appointment, gp says, gp gave, gp wants, root canal, wisdom"
        " tooth, wisdom teeth, tooth out, drug interaction, drug interactions, these drugs, which drugs, what drugs,"
        " any drugs, new drug, my dose, what dose, which dose, missed a dose,"
        " missed dose, daily dose, my inr, inr was, inr is, my operation, operation on my, hip operation, knee"
        " operation, heart operation, eye operation, book a massage, get a massage, have a massage, back massage,"
        " massage for my, got stung, stung me, stung by a bee, stung by a wasp, bee sting, wasp sting, my tablets,"
        " these tablets, iron tablets, take a tablet, sleeping tablet, headache tablet, a pill for, take a pill,"
        " on the pill, sleeping pill, my pill, these pills, john's wort, johns wort, my wound, wound is, wound"
        " dressing, wound infected, clean a wound, clean the wound"
    ),
    "exercise": (
        "training plan, training for a race, training for my race, training for the race, km run, go running,"
        " exercise plan, exercise routine, exercise programme, exercise program, exercise for me, get fit, keep fit,"
        " lift weights, exercises for me, exercises for my, exercises for the back, exercises for the knee,"
        " exercises for a bad, exercises for back, exercises for knees, exercises for lower, leg day, laufen gehen"
    ),
    "colours": "plot of, plot the, plot showing, plot with, bar plot, line plot, scatter plot",
}
"""Phrases of prompts about a subject, whose words alone say other things."""
CONCERNED: Mapping[str, tuple[str, ...]] = {
    "food": ("allergy", "diet", "illness", "treatment"),
    "health": ("allergy", "illness", "treatment"),
    "outings": ("allergy", "diet", "illness", "disability", "treatment", "injury"),
    "exercise": ("illness", "disability", "injury"),
    "colours": ("colours",),
    "animals": ("allergy", "diet", "illness", "treatment"),
}
"""Kinds of facts that a subject is about."""
RELEVANT: Mapping[str, frozenset[Allergen]] = {
    "food": frozenset({Allergen.OTHER}),
    "health": frozenset(Allergen),
    "outings": frozenset({Allergen.OTHER, Allergen.STING, Allergen.AIR}),
    "exercise": frozenset(),
    "colours": frozenset(),
}
"""Allergies of people that matter to a subject, by what they are to; no fact about people does to that of animals."""
_WORD, _PART = re.compile(r"\w+(?:-\w+)*"), re.compile(r"\w+")
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
    r"|talk|waiting|waking up|winter|work|working)(?:, | and | or |, and )?)+"
    r"(?= ?(?:$|[.;:!?)]|lol\b|,? ?(?:but|so|before|please|keep|and (?:i|i'm|my|married|proud))\b))"
    r"|\bnot (?:\w+ )?allergic to anything\b(?! (?:but|except|other|else|apart|besides))"
    r"|(?:\bno|\bnot have any|n't have any|\bwithout) (?:known |food |drug )*allergies\b"
    r"(?! (?:but|except|other|apart|besides))"
)
"""Things that one cannot have and does not eat; sayings; jokes about what is no substance; denials of allergies."""
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
_ANIMAL = (
    r"(?:dogs?|pupp(?:y|ies)|cats?|kittens?|rabbits?|bunn(?:y|ies)|horses?|pon(?:y|ies)|parrots?|budgies?|hamsters?"
    r"|guinea pigs?|gerbils?|ferrets?|tortoises?|goats?|hens?|terriers?|labradors?|retrievers?|spaniels?|poodles?)"
)
_OF_ANIMAL = re.compile(
    rf"\b{_ANIMAL}(?: [\w-]+)?(?: \w+ly)? (?:has|have|had|takes?|is|are|was|needs?|gets?|can't|cannot|must|suffers?)\b"
)
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+|^(?!My |Our |The )[A-Z][\w-]+(?= (?:has|is|needs|takes|gets|can't)\b)")
_OF_VET = re.compile(r"\b(?:the |our )?vet(?:'s| says| said)?\b|\bkibble\b")
_OF_PERSON = re.compile(r"\b(?:i|i'm|me|my|we|us|our|(?:to|on|from|of) (?:cats?|dogs?|fur|animals?))\b")
_EATEN = frozenset(
    "salt sugar sugars sodium potassium alcohol wine beer grapefruit kale coffee tea caffeine stomach kidney kidneys"
    " dialysis transplant metformin hba1c reflux antacid antacids gout allopurinol colchicine lithium chemotherapy iron"
    " dietitian dietician diuretic diuretics statin statins cholesterol ozempic semaglutide migraine migraines".split()
)
"""Words of statements about what somebody may not eat or drink, besides those of prompts about food."""
_FORMERLY = re.compile(r"\bused to (?:take|be on|get|use)\b[^.;,]*")
_GOES_ON = re.compile(r"\W*(?:also )?(?:takes?|needs?|has|is|gets?|eats|can't|cannot|must|on)\b")  # of the same one
_OF_PETS = re.compile(
    rf"\b(?:{_ANIMAL}|pets?|animals?|vets?|kibble|treats|hund|katze|tierarzt|chien|chat|perro|gato|cão|cane|gatto|hond"
    r"|kat|pies|kot)\b"
)
UNSPACED = "\u3040"  # from here on letters stand in words that no space parts; a pattern of them compiles for 8 ms
_OTHERS = ("medial", "desert", "fights", "bred")  # words that are no misspellings
_LONG = 7  # letters of a word at least of which one may be missing


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
    return pattern_of(kinds).search(_OTHERWISE.sub("", plain_text(text))) is not None


def matters(text: str, prompt: str, kinds: tuple[str, ...]) -> bool:
    """Return True for a statement of such a fact that matters to a prompt.

    One about an animal does if the prompt names one, an allergy to a drug, a metal or stings only to some subjects.
    """
    if not states(text, kinds):
        return False
    subjects = subjects_of(prompt)
    if not is_of_animal(text, kinds):
        return any(matters_to(text, subject, kinds) for subject in subjects if subject in RELEVANT)
    asked = plain_text(prompt)
    names = {plain_text(word) for word in _NAMES.findall(text)}
    return _OF_PETS.search(asked) is not None or not names.isdisjoint(_WORD.findall(asked))


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


def matters_to(text: str, subject: str, known: tuple[str, ...]) -> bool:
    """Return True if a text with facts of the `known` kinds states one about a subject: no allergy to something else.

    With food a treatment does not matter if its text names nothing that is eaten, and none that is known to forbid any.
    """
    kinds, plain = {*CONCERNED[subject]}, _FORMERLY.sub("", plain_text(text))
    found, rest = allergens(plain)
    if found and not found & RELEVANT[subject]:
        kinds.discard("allergy")
        plain = rest
    if subject == "food" and not _EATEN.union(subject_words("food")) & {*_PART.findall(plain)}:
        kinds.discard("treatment")
    told = {one[0] for one in pattern_of(known).finditer(_OTHERWISE.sub("", plain))}  # each pattern takes ms to compile
    return any(told.intersection(words_of((kind,))) for kind in kinds)


def is_grave(text: str) -> bool:
    """Return True for a statement of a fact that may cost a life, which nothing milder replaces."""
    if not states(text):
        return False
    meant = _NOT_GRAVE.sub("", _OTHERWISE.sub("", plain_text(text)))
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
    unspaced = "|".join(word for word in words if word >= UNSPACED)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|{unspaced}")


def concerned(prompt: str) -> tuple[str, ...]:
    """Return the kinds of facts that a prompt is about, none for most prompts. Slight misspellings are understood."""
    return tuple(dict.fromkeys(kind for subject in subjects_of(prompt) for kind in CONCERNED[subject]))


@functools.lru_cache(8)
def subjects_of(prompt: str) -> tuple[str, ...]:
    """Return the subjects of a prompt with which such facts matter."""
    plain = plain_text(prompt)
    words = set(_WORD.findall(plain))
    words = words.union(*map(respelt, words))
    subjects = [
        subject
        for subject in SUBJECTS
        if words & subject_words(subject)
        or any(word in plain for word in subject_words(subject) if word >= UNSPACED)
        or (subject in PHRASES and phrases_of(subject).search(plain))
    ]
    if "health" not in subjects and states(prompt, ("illness", "treatment")):
        subjects.append("health")  # the name of a drug
    return tuple(subjects)


@functools.cache
def phrases_of(subject: str) -> re.Pattern[str]:
    """Return the pattern of the phrases about a subject, for texts in lower case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(one) for one in PHRASES[subject].split(', '))})(?!\w)")


@functools.cache
def subject_words(subject: str) -> frozenset[str]:
    """Return the words about a subject, the longer ones also with any letter missing but the first."""
    words = SUBJECTS[subject].split()
    return frozenset(words).union(
        word[:index] + word[index + 1 :] for word in words if len(word) >= _LONG for index in range(1, len(word))
    ) - frozenset(_OTHERS)


def respelt(word: str) -> set[str]:
    """Return a word with two neighbouring letters swapped, or with a double letter once; not the first letter."""
    positions = range(1, len(word) - 1) if 5 <= len(word) <= 20 else ()
    swapped = {word[:index] + word[index + 1] + word[index] + word[index + 2 :] for index in positions}
    return swapped | {word[:index] + word[index + 1 :] for index in positions if word[index] == word[index + 1]}


def plain_text(text: str) -> str:
    """Return a text in lower case, with plain apostrophes and those that were not typed."""
    return respell(text.casefold().replace("’", "'")).text
