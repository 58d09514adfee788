"""The subjects of prompts (food, health, travel, …) to which safety facts matter.

Word lists in English and, shorter, in the ten other languages that distilling reads.
"""

import functools
import re
from collections.abc import Iterable, Mapping

from curator.safety.facts import states
from curator.safety.vocabulary import UNSPACED, plain_text

SUBJECTS: Mapping[str, str] = {
    "food": (
        "appetizer appetizers ate baguette baked bakery beer beers baking barbecue bbq biscuit biscuits bread"
        " breakfast brunch buffet cake cakes catering cereal cheese chicken chocolate cocktail cocktails cook cooked"
        " cooking cooks curry dessert desserts diet dinner dinners dish dishes drink drinks eat eating eats food foods"
        " groceries bake broccoli brownies burger burgers butter cabbage cheesecake dumplings eggs flour fruit granola"
        " hummus kale lentils milk muffins mushrooms noodles nuts oats pancakes porridge potatoes prawns pudding ramen"
        " spinach sushi tofu tomatoes tuna waffles yoghurt yogurt grocery guests hungry ingredient ingredients juice"
        " kibble lasagna lasagne loaf loaves lunch lunches meal meals muesli nutrition pasta pesto picnic pizza"
        " potluck recipe recipes restaurant restaurants rice salad sandwich sandwiches sauce smoothie snack snacks"
        " soup stew supper sweets takeaway takeout veggie vegetables abendessen backe backen essen frühstück gekocht"
        " gericht koche kochen kuchen mittagessen rezept rezepte cuisine cuisiner déjeuner dîner gâteau manger recette"
        " recettes repas almuerzo cena cenar cocinar comer comida desayuno postre receta recetas almoço bolo cozinhar"
        " jantar receita receitas sobremesa colazione cucinare cucino dolce mangiare pranzo ricetta ricette torta"
        " avondeten bakken eten koken lunch recept recepten taart ciasto gotować jeść kolacja kolację obiad przepis"
        " przepisy ugotować upiec śniadanie 料理 レシピ 夕食 夕飯 昼食 朝食 晩ご飯 献立 弁当 菜谱 食谱 晚饭 晚餐 午饭"
        " 午餐 早餐 做饭 做菜 吃什么 요리 레시피 저녁밥 점심밥"
        " 식사 반찬 먹을"
    ),
    "health": (
        "abscess acupuncture anaesthesia anaesthetic anaesthetist anesthesia anesthetic antihistamine augmentin"
        " constipation cramps decongestant diarrhea diarrhoea dizzy dosage heartburn"
        " herbal infected infection insomnia mri reflux sauna tattoo allergic allergies allergy antibiotic antibiotics"
        " bracelet clinic cosmetics cough dental dentist doctor earring earrings fever flu headache headaches hospital"
        " hurts immunisation immunization jab jabs jewellery jewelry medical medication medications medicine"
        " medicines migraine nausea necklace ointment"
        " painkiller painkillers pharmacist pharmacy prescription rash studs supplement supplements surgeon surgery"
        " sinusitis strep symptoms tonsillitis toothache uti vaccination vaccine vitamin vitamins vomit vomited"
        " vomiting apotheke arzt kopfschmerzen"
        " medikament medikamente schmerzen tablette tabletten zahnarzt ärztin dentiste douleur médecin médicament"
        " médicaments ordonnance pharmacie dentista dolores duele farmacia medicamento medicamentos médico pastilla"
        " dor farmácia remédio comprimido dolore farmaco medicina apotheek hoofdpijn huisarts medicijn medicijnen pijn"
        " tandarts apteka ból dentysta leki lekarz tabletki 薬 医者 歯医者 頭痛 病院 药 藥 医生 醫生 牙医 头痛 医院"
        " 두통 병원 의사 치과 약국"
    ),
    "care": (
        "abscess anaesthesia anaesthetic anaesthetist anesthesia anesthetic augmentin"
        " clinic dental dentist doctor immunisation immunization infection"
        " jab jabs medical mri ointment ointments pharmacist prescription rash"
        " supplement supplements surgeon surgery vaccination vaccine herbal apotheke arzt zahnarzt ärztin dentiste"
        " médecin ordonnance dentista médico huisarts tandarts lekarz 医者"
        " 歯医者 病院 医生 醫生 牙医 医院 병원 의사 치과"
    ),
    "skin": "bracelet cosmetics earring earrings jewellery jewelry necklace studs tattoo",
    "emergency": "allergic allergies allergy ambulance epipen epipens hospital ambulanz krankenhaus",
    "travel": (
        "backpacking camping flight flights holiday holidays hostel hotel hotels itinerary travel travelling traveling"
        " trip trips vacation wedding flug reise reisen urlaub zugreise vacances valise voyage maleta vacaciones viaje"
        " vuelo férias viagem vacanza vacanze valigia viaggio volo reis vakantie vlucht podróż wakacje 旅行"
        " ホテル 荷造り 酒店 行李 여행 호텔"
    ),
    "journey": (
        "backpacking camping cruise flight flights trek trekking altitude luggage suitcase flug maleta valigia valise"
        " vlucht volo vuelo 荷造り 行李"
    ),
    "venues": (
        "elevator museum museums restaurant restaurants sightseeing stairs theatre venue venues wedding ausflug"
        " excursión passeio gita uitstapje wycieczka cinema"
    ),
    "outdoors": (
        "barbecue beekeeping campsite camping gardening hammock hedge hike hikes hiking lawn meadow mow mowing orchard"
        " picnic picnics trekking wildflowers wanderung randonnée ausflug excursión gita uitstapje wycieczka"
    ),
    "air": (
        "aerosol candle candles fireplace incense kitten kittens mould pollen puppies puppy repaint"
        " repainting sauna smoking solvent varnish"
    ),
    "sound": (
        "amplifier audiobook audiobooks cinema concert concerts earbuds earplugs gig headphones headset karaoke"
        " nightclub opera philharmonic rehearsal theatre soundbar konzert kopfhörer concierto koncert"
    ),
    "strain": (
        "barbell climbing dumbbell dumbbells gardening hiking hike hikes itinerary kneel kneeling"
        " ladder mowing plastering sauna shovel shovelling shoveling sightseeing skydiving tiling trek"
        " trekking weightlifting wanderung randonnée wycieczka"
    ),
    "exercise": (
        "bouldering cardio climbing crossfit dumbbells hike hikes hiking trekking"
        " cardio crossfit deadlift deadlifts fitness gym hiit jog jogging marathon pilates physio skiing squats"
        " stretches stretching triathlon workout workouts yoga entrenamiento gimnasio entraînement randonnée"
        " trainingsplan allenamento palestra treino academia hardlopen trening bieganie"
    ),
    "colours": (
        "chart charts graph graphs diagram diagrams heatmap infographic palette palettes colormap colour colours color"
        " colors dashboard diagramm diagramme farbe farben graphique graphiques couleur couleurs gráfico gráficos"
        " grafico grafici colori grafiek kleuren wykres kolory"
    ),
    "animals": "vet vets tierarzt vétérinaire veterinario veterinaria dierenarts weterynarz",
    "alcohol": (
        "wine wines beer beers whisky whiskey vodka gin rum brandy cognac liqueur champagne prosecco cocktail"
        " cocktails brewery distillery winery pub mouthwash wein bier schnaps vin bière vino cerveza vinho cerveja"
        " birra bier wino piwo"
    ),
    "falls": (
        "ladder scaffold scaffolding rollercoaster kayak kayaking canoe snorkelling snorkeling paragliding skydiving"
        " bouldering climbing chainsaw swimming driving skywalk leiter"
    ),
    "flicker": (
        "strobe stroboscope strobes nightclub disco rave laser lasers fluorescent vr cinema concert gig fireworks"
        " videogame videogames"
    ),
    "noise": "fireworks firecrackers feuerwerk paintball prank gunfire petardos vuurwerk fajerwerki",
    "sight": "screenshot screenshots chart charts diagram infographic touchscreen crossword jigsaw",
    "worn": (
        "bracelet earring earrings jewellery jewelry necklace piercing pierced studs wristwatch buckle ohrringe schmuck"
        " bijoux pendientes orecchini oorbellen kolczyki"
    ),
    "latex": (
        "balloon balloons condom condoms gloves luftballons kondome gants préservatifs globos preservativos balony"
    ),
    "pets": "kitten kittens puppy puppies petsitting dogsitting housesit housesitting",
    "implants": "mri induction tens magsafe welding defibrillator magnetom",
    "weight": "calorie calories fasting detox cleanse keto bmi kalorien fasten calorías régime dieta dieet",
    "sun": "beach solarium sunbathe sunbathing sunbed tanning sunscreen strand plage playa praia spiaggia plaża",
    "germs": (
        "tartare carpaccio oysters ceviche unpasteurised unpasteurized litter chickenpox measles norovirus shingles"
    ),
    "bleeding": "tattoo piercing boxing judo karate rugby hockey skateboarding razor bruise nosebleed acupuncture",
}
"""Words of prompts about each subject."""
PHRASES: Mapping[str, str] = {
    "food": (
        "pastel de, un pastel, ice cream, protein powder, protein bar, garden party, birthday party, dinner party,"
        " office party, should i order, to order at, a glass of wine, bottle of wine, which wine, red wine, wine"
        " tasting, street food, tasting menu, course menu, box of chocolates"
    ),
    "health": (
        "sore throat, what can i take, what may i take, can i take for, should i take for,"
        " my bloods, blood test, my gp, the gp, see a gp, gp appointment, gp says, gp gave, gp wants,"
        " root canal, wisdom"
        " tooth, wisdom teeth, tooth out, drug interaction, drug interactions, these drugs, which drugs, what drugs,"
        " any drugs, new drug, my dose, what dose, which dose, missed a dose,"
        " missed dose, daily dose, my inr, inr was, inr is, my operation, operation on my, hip operation, knee"
        " operation, heart operation, eye operation, book a massage, get a massage, have a massage, back massage,"
        " massage for my, got stung, stung me, stung by a bee, stung by a wasp, bee sting, wasp sting, my tablets,"
        " these tablets, iron tablets, take a tablet, sleeping tablet, headache tablet, a pill for, take a pill,"
        " on the pill, sleeping pill, my pill, these pills, john's wort, johns wort, my wound, wound is, wound"
        " dressing, wound infected, clean a wound, clean the wound"
    ),
    "care": (
        "my gp, the gp, see a gp, gp appointment, gp says, gp gave, gp wants, root canal, wisdom tooth, wisdom teeth,"
        " tooth out, my operation, operation on my, hip operation, knee operation, heart operation, eye operation,"
        " my wound, wound is, wound dressing, wound infected, clean a wound, clean the wound, a nurse,"
        " pulls a tooth, pull a tooth"
    ),
    "emergency": (
        "got stung, stung me, stung by a bee, stung by a wasp, bee sting, wasp sting, emergency card, emergency"
        " contact, medical history, emergency room, first aid kit"
    ),
    "skin": "hair dye, face cream, nail varnish",
    "travel": "city break, weekend away, weekend trip, road trip, street food",
    "journey": (
        "what to pack for, packing list, should i pack, do i pack, pack for, travel insurance, long drive, night train,"
        " business trip, business trips"
    ),
    "outdoors": (
        "in the garden, garden party, my garden, the garden, in the woods, in the forest, in the park, fruit picking"
    ),
    "air": (
        "adopt a, get a cat, get a dog, get a pet, get a kitten, get a puppy, with a cat, with cats, with two cats,"
        " with a dog, breed of, oil paint, spray paint, paint the, painting the, paint my, painting my, wood stove,"
        " mow the, air quality, air purifier"
    ),
    "sound": (
        "live music, loud music, in the club, to a club, noise cancelling, scuba diving,"
        " scuba, voice message, voice messages, conference call"
    ),
    "strain": (
        "move house, moving house, moving day, removal van, carry a, carry the, lift a, heavy boxes, office"
        " chair, desk chair, chair should, for my home office, home office chair, standing desk, new mattress, which"
        " mattress, lay floor, floor tiles, lay tiles, walking tour, walking route, on foot, city walk,"
        " clear the snow, snow off, dig a, dig over, third floor, fourth floor, fifth floor, interval"
        " training, leg day, which hikes, long walk"
    ),
    "exercise": (
        "training plan, training for a race, training for my race, training for the race, km run, go running, start"
        " running, take up running, go swimming, start swimming, strength routine, strength training, strength"
        " workout, run a marathon, half marathon, exercise plan, exercise routine, exercise programme, exercise"
        " program, exercise for me, get fit, keep fit, lift weights, exercises for me, exercises for my, exercises for"
        " the back, exercises for the knee, exercises for a bad, exercises for back, exercises for knees, exercises"
        " for lower, leg day, laufen gehen"
    ),
    "alcohol": "bar crawl, drinks after work, after-work drinks, a drink at, tonic water",
    "mood": "rough day, bad day, horrible day, awful day, how to unwind, helps me unwind, take the edge off",
    "falls": (
        "take a bath, a long bath, hot bath, theme park, roller coaster, cable car, bunk bed, via ferrata, on the roof"
    ),
    "flicker": (
        "flashing lights, tube lights, light show, video game, video games, film night, movie night, which film, what"
        " film, which movie, what movie, horror film, horror films, horror movie, horror movies, watch a film, watch a"
        " movie, film to watch, movie to watch, film for, movie for, a movie, a film"
    ),
    "noise": "new year's eve, shooting range, war film, war movie, horror film, horror movie, jump out at",
    "pets": (
        "adopt a, get a cat, get a dog, get a pet, get a kitten, get a puppy, with a cat, with cats, with a dog, house"
        " sit, dog sit, cat sit, looking for a pet"
    ),
    "weight": "lose weight, weight loss, slim down, low-carb, weigh myself, weighing in",
    "sun": "sun cream, get a tan, in the sun, at noon, midday sun",
    "germs": (
        "raw milk, raw fish, raw egg, raw eggs, raw meat, soft cheese, rare steak, has a cold, have a cold, bit of a"
        " cold"
    ),
    "colours": "plot of, plot the, plot showing, plot with, bar plot, line plot, scatter plot",
}
"""Phrases of prompts about a subject, whose words alone say other things."""
WORD = re.compile(r"\w+(?:-\w+)*")
_TO_READ = re.compile(
    r"\b(?:recommend|suggest|find|pick|choose|need|want|which|what|any|good|download|ideas? for)\b(?: [\w'-]+){0,5}?"
    r" (?:novels?|(?:(?<!cook )books?)|audiobooks?|e-?books?|podcasts?|films?|movies?|series|playlists?|songs?|albums?"
    r"|(?:video |board |card )?games?|thrillers?|magazines?|to (?:read|watch|listen to|play))\b"
)
"""Prompts for something to read, watch or play."""
_FOOD = re.compile(r"\b(?:food|eat|drink|cook|pack|snacks?|meals?|restaurants?|medicines?|hotels?)\b")
_PLACES = frozenset({"travel", "journey", "venues", "outdoors"})
_OTHERS = ("medial", "desert", "fights", "bred")  # words that are no misspellings
_LONG = 7  # letters of a word at least of which one may be missing


@functools.lru_cache(8)
def subjects_of(prompt: str) -> tuple[str, ...]:
    """Return the subjects of a prompt for which safety facts matter, by its words; most prompts have none.

    Slight misspellings are understood.
    """
    plain = plain_text(prompt)
    words = set(WORD.findall(plain))
    words = words.union(*map(respelt, words))
    subjects = [
        subject
        for subject in SUBJECTS
        if words & subject_words(subject)
        or any(word in plain for word in subject_words(subject) if word >= UNSPACED)
        or (subject in PHRASES and phrases_of(subject).search(plain))
    ]
    subjects = without_places(prompt, subjects)
    if "health" not in subjects and states(prompt, ("illness", "treatment")):
        subjects.append("health")  # the name of a drug
    return tuple(subjects)


def without_places(prompt: str, subjects: Iterable[str]) -> list[str]:
    """Return subjects of a prompt; without journeys if it asks for something to read, watch or play on one."""
    plain = plain_text(prompt)
    reads = _TO_READ.search(plain) is not None and _FOOD.search(plain) is None
    return [subject for subject in subjects if not (reads and subject in _PLACES)]


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
