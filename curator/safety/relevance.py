"""The safety facts that matter to the subjects of a prompt."""

import re
from collections.abc import Iterable, Mapping, Sequence

from curator.safety.allergens import Allergen, allergens
from curator.safety.animals import AnimalNames
from curator.safety.facts import states, words_in
from curator.safety.idioms import without_jokes
from curator.safety.subjects import WORD, subject_words
from curator.safety.vocabulary import ANIMAL, plain_text, words_of

CONCERNED: Mapping[str, tuple[str, ...]] = {
    "food": ("allergy", "diet", "illness", "treatment"),
    "health": ("allergy", "illness", "treatment"),
    "care": ("allergy", "illness", "treatment"),
    "skin": ("allergy", "enzyme"),
    "emergency": ("allergy", "illness", "treatment"),
    "travel": ("allergy", "diet", "illness", "disability"),
    "journey": ("allergy", "illness", "treatment"),
    "venues": ("disability",),
    "outdoors": ("allergy", "airways"),
    "air": ("allergy", "illness", "airways", "enzyme"),
    "sound": ("disability", "hearing"),
    "strain": ("illness", "disability", "treatment", "injury"),
    "exercise": ("illness", "disability", "treatment", "injury"),
    "colours": ("colours",),
    "animals": ("allergy", "diet", "illness", "treatment"),
    "alcohol": ("alcohol",),
    "mood": ("mood",),
    "falls": ("collapse",),
    "flicker": ("flicker",),
    "noise": ("trauma",),
    "sight": ("sight",),
    "worn": ("allergy", "stoma"),
    "latex": ("allergy",),
    "pets": ("allergy",),
    "implants": ("implants",),
    "weight": ("weight",),
    "sun": ("sun",),
    "germs": ("germs",),
    "bleeding": ("bleeding",),
}
"""Kinds of facts that a subject is about."""
RELEVANT: Mapping[str, frozenset[Allergen]] = {
    "food": frozenset({Allergen.FOOD, Allergen.OTHER}),
    "health": frozenset({Allergen.DRUG, Allergen.OTHER}),
    "care": frozenset({Allergen.DRUG, Allergen.METAL, Allergen.LATEX, Allergen.TOUCH, Allergen.FOOD, Allergen.OTHER}),
    "skin": frozenset({Allergen.METAL, Allergen.LATEX, Allergen.TOUCH, Allergen.FOOD, Allergen.OTHER}),
    "emergency": frozenset(Allergen),
    "travel": frozenset({Allergen.FOOD, Allergen.OTHER}),
    "journey": frozenset({Allergen.FOOD, Allergen.OTHER}),
    "venues": frozenset(),
    "outdoors": frozenset({Allergen.STING, Allergen.AIR, Allergen.PETS}),
    "air": frozenset({Allergen.AIR, Allergen.PETS}),
    "sound": frozenset(),
    "strain": frozenset(),
    "exercise": frozenset(),
    "colours": frozenset(),
    "worn": frozenset({Allergen.METAL}),
    "latex": frozenset({Allergen.LATEX}),
    "pets": frozenset({Allergen.PETS}),
    **dict.fromkeys(
        ("alcohol", "mood", "falls", "flicker", "noise", "sight", "implants", "weight", "sun", "germs", "bleeding"),
        frozenset[Allergen](),
    ),
}
"""Allergies of people that matter to a subject, by what they are to; no fact about people does to that of animals."""
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+|^(?!My |Our |The )[A-Z][\w-]+(?= (?:has|is|needs|takes|gets|can't)\b)")
_EATEN = frozenset(
    "salt sugar sugars sodium potassium alcohol wine beer grapefruit kale coffee tea caffeine stomach kidney kidneys"
    " dialysis transplant metformin hba1c reflux antacid antacids gout allopurinol colchicine lithium chemotherapy iron"
    " dietitian dietician diuretic diuretics statin statins cholesterol ozempic semaglutide migraine migraines"
    " levothyroxine tacrolimus ciclosporin spironolactone simvastatin atorvastatin amlodipine carbamazepine"
    " hypertension pressure".split()
)
"""Words of statements about what somebody may not eat or drink, besides those of prompts about food."""
_EARS = frozenset(
    "deaf, hearing aid, hearing aids, gehörlos, bin taub, sourd, sourde, sordo, sorda, surdo, surda, ben doof,"
    " slechthorend, głuchy, głucha".split(", ")
)
_LUNGS = frozenset("asthma, asthmatic, copd, asthme, asthmatique, asma, astma, astmę, 喘息, 哮喘, 천식".split(", "))
_HEART_AND_NERVES = frozenset(
    "pacemaker, atrial fibrillation, arrhythmia, angina, have a stent, had a stent, he has a stent, she has a stent,"
    " father has a stent, mother has a stent, stent in my, stent in his, stent in her, stents in my, coronary stent,"
    " coronary stents, aneurysm, heart condition, herzschrittmacher, marca-passo, epilepsy, epileptic, seizure,"
    " seizures, epilepsie, épilepsie, epilepsia, padaczkę, padaczka, lupus, multiple sclerosis, sleep apnoea, sleep"
    " apnea, parkinson's, dementia, haemophilia, hemophilia".split(", ")
)
_MEDICINES = frozenset(
    "warfarin, blood thinner, blood thinners, penicillin, medication, medications, blutverdünner, anticoagulante,"
    " bloedverdunner".split(", ")
)
_UNABLE = frozenset(
    "heart attack, heart failure, hypertension, beta blocker, beta blockers, bisoprolol, metoprolol, propranolol,"
    " atenolol, had a stroke, after a stroke, my stroke, her stroke, his stroke, the stroke left, risk of stroke,"
    " osteoporosis, arthritis, hip operation, hip replacement, knee replacement, fainted, i faint, i often faint, feel"
    " faint, felt faint, faint at, faint when, dizzy spells, chemotherapy, dialysis, transplant, salbutamol, inhaler,"
    " blutdruck, tension artérielle, presión arterial, pressão alta, pressione alta, bloeddruk, nadciśnienie, 高血圧,"
    " 高血压, 고혈압".split(", ")
)
"""Treatments that say that somebody may not do everything."""
_READING = frozenset({"dyslexic", "dyslexia"})
_UNCONCERNED: Mapping[str, frozenset[str]] = {
    "food": _LUNGS | _HEART_AND_NERVES,
    "travel": _LUNGS | _EARS | _READING | _MEDICINES,
    "venues": _EARS | _READING,
    "air": frozenset(words_of(("illness",))) - _LUNGS - {"pregnant", "pregnancy"},
    "sound": frozenset(words_of(("disability",))) - _EARS,
    "strain": (_EARS | _READING | {*words_of(("illness", "treatment"))})
    - _UNABLE
    - _LUNGS
    - _HEART_AND_NERVES
    - {"pregnant", "pregnancy"},
    "exercise": (_EARS | _READING | {"penicillin", "medication", "medications"} | {*words_of(("treatment",))})
    - _UNABLE,
}
"""Words of the kinds a subject is about that state what does not matter to it."""
_OF_MOVING = frozenset({"exercise", "strain", "health"})
_SMALL_PART = re.compile(
    r"\b(?:exercises?|stretch(?:es|ing)?|warm-?ups?|drills?) (?:for|with|of) (?:(?:my|the|a|an|your|his|her|left|right"
    r"|weak|stiff|sore|both) )*(?:hands?|fingers?|thumbs?|wrists?|jaw|eyes?|tongue|voice|toes?)\b"
)
"""Exercises of a part of the body that are no strain for heart and lungs."""
_FORMERLY = re.compile(r"\bused to (?:take|be on|get|use)\b[^.;,]*")
_OF_PETS = re.compile(
    rf"\b(?:{ANIMAL}|pets?|animals?|vets?|kibble|treats|hund|katze|tierarzt|chien|chat|perro|gato|cão|cane|gatto|hond"
    r"|kat|pies|kot)\b"
)


def kinds_of(subjects: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of facts that these subjects are about."""
    return tuple(dict.fromkeys(kind for subject in subjects for kind in CONCERNED[subject]))


def with_animals(prompt: str, subjects: Sequence[str], animals: AnimalNames) -> tuple[str, ...]:
    """Return the subjects of a prompt, with that of animals if it names one: "a dog sitter", "Bosun won't eat"."""
    return (*subjects, "animals") if "animals" not in subjects and animals.are_in(prompt) else tuple(subjects)


def matters(text: str, prompt: str, subjects: Sequence[str], animals: AnimalNames | None = None) -> bool:
    """Return True for a statement of a safety fact that matters to a prompt about these subjects.

    One about an animal does if the prompt names one, an allergy to a drug, a metal or stings only to some subjects.
    """
    kinds = kinds_of(subjects)
    if {*subjects} <= _OF_MOVING and _SMALL_PART.search(plain_text(prompt)):
        kinds = tuple(kind for kind in kinds if kind in ("injury", "disability"))
    if not states(text, kinds):
        return False
    known = AnimalNames(lambda name: ()) if animals is None else animals
    if not known.has_fact(text, kinds):
        return any(matters_to(text, subject, kinds) for subject in subjects if subject in RELEVANT)
    asked = plain_text(prompt)
    names = {plain_text(word) for word in _NAMES.findall(text)}
    named = not names.isdisjoint(WORD.findall(asked))
    return _OF_PETS.search(asked) is not None or named or known.are_in(prompt)


def matters_to(text: str, subject: str, known: tuple[str, ...]) -> bool:
    """Return True if a text with facts of the `known` kinds states one about a subject: no allergy to something else.

    With food a treatment does not matter if its text names nothing that is eaten, and none that is known to forbid any.
    """
    kinds, plain = {*CONCERNED[subject]}, _FORMERLY.sub("", plain_text(without_jokes(text)))
    found, rest = allergens(plain)
    if found and not found & RELEVANT[subject]:
        kinds.discard("allergy")
        plain = rest
    eaten = not _EATEN.union(subject_words("food")).isdisjoint(re.findall(r"\w+", plain))
    if subject == "food" and not eaten:
        kinds.discard("treatment")
    told = words_in(plain, known)  # of all at once, since each pattern takes ms to compile
    if not (subject == "food" and eaten):
        told -= _UNCONCERNED.get(subject, frozenset())
    return any(told.intersection(words_of((kind,))) for kind in kinds)
