"""The subjects of prompts (food, health, travel, …) to which matters of safety matter, and which of these do.

Word lists in English and, shorter, in the ten other languages that distilling reads. Needs the standard library only,
since a hook that must not wait reads it too.
"""

import functools
import re
from collections.abc import Mapping

from curator.safety import ANIMAL, UNSPACED, is_of_animal, plain_text, states, words_in, words_of
from curator.safety.allergens import Allergen, allergens

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
_WORD = re.compile(r"\w+(?:-\w+)*")
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+|^(?!My |Our |The )[A-Z][\w-]+(?= (?:has|is|needs|takes|gets|can't)\b)")
_EATEN = frozenset(
    "salt sugar sugars sodium potassium alcohol wine beer grapefruit kale coffee tea caffeine stomach kidney kidneys"
    " dialysis transplant metformin hba1c reflux antacid antacids gout allopurinol colchicine lithium chemotherapy iron"
    " dietitian dietician diuretic diuretics statin statins cholesterol ozempic semaglutide migraine migraines"
    " levothyroxine tacrolimus ciclosporin spironolactone simvastatin atorvastatin amlodipine carbamazepine"
    " hypertension pressure".split()
)
"""Words of statements about what somebody may not eat or drink, besides those of prompts about food."""
_FORMERLY = re.compile(r"\bused to (?:take|be on|get|use)\b[^.;,]*")
_OF_PETS = re.compile(
    rf"\b(?:{ANIMAL}|pets?|animals?|vets?|kibble|treats|hund|katze|tierarzt|chien|chat|perro|gato|cão|cane|gatto|hond"
    r"|kat|pies|kot)\b"
)
_OTHERS = ("medial", "desert", "fights", "bred")  # words that are no misspellings
_LONG = 7  # letters of a word at least of which one may be missing


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


def matters_to(text: str, subject: str, known: tuple[str, ...]) -> bool:
    """Return True if a text with facts of the `known` kinds states one about a subject: no allergy to something else.

    With food a treatment does not matter if its text names nothing that is eaten, and none that is known to forbid any.
    """
    kinds, plain = {*CONCERNED[subject]}, _FORMERLY.sub("", plain_text(text))
    found, rest = allergens(plain)
    if found and not found & RELEVANT[subject]:
        kinds.discard("allergy")
        plain = rest
    if subject == "food" and not _EATEN.union(subject_words("food")) & {*re.findall(r"\w+", plain)}:
        kinds.discard("treatment")
    told = words_in(plain, known)  # of all at once, since each pattern takes ms to compile
    return any(told.intersection(words_of((kind,))) for kind in kinds)
