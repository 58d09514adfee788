"""Allergies by what they are to: penicillin matters to a dentist's prompt, not to a recipe. English only.

What is not known here counts as food, which most prompts about safety concern.
"""

import re
from collections.abc import Mapping
from enum import StrEnum


class Allergen(StrEnum):
    """Cause of an allergy. Everything that is not known to be another is `OTHER`, above all food."""

    DRUG = "drug"
    METAL = "metal"
    LATEX = "latex"
    TOUCH = "touch"
    STING = "sting"
    AIR = "air"
    PETS = "pets"
    FOOD = "food"
    OTHER = "other"


_NAMES: Mapping[Allergen, str] = {
    Allergen.DRUG: (
        r"penicillins?|amoxicillin|augmentin|antibiotics?|cephalosporins?|clindamycin|doxycycline|sulfa(?: drugs)?"
        r"|sulfonamides?|contrast (?:agent|dye|medium)|(?:local )?an(?:a|ae)esthetics?"
    ),
    Allergen.METAL: r"nickel|cobalt|cheap (?:metal|jewell?e?ry)",
    Allergen.LATEX: r"latex|(?:natural )?rubber",
    Allergen.TOUCH: r"perfumes?|fragrances?|sticking plasters?|hair dyes?",
    Allergen.PETS: (
        r"cats?|dogs?|pets?|horses?|rabbits?|guinea pigs?|hamsters?|(?:animal|dog|cat|horse) (?:hair|dander)|fur|dander"
    ),
    Allergen.AIR: r"feathers?|pollen|grass|birch(?: pollen)?|hay ?fever|dust(?: mites)?|mou?ld",
    Allergen.FOOD: (
        r"(?:pea|hazel|wal|tree |brazil |coco|pine |cashew |macadamia )?nuts?|almonds?|cashews?|pecans?|pistachios?"
        r"|sesame|shellfish|seafood|crustaceans?|prawns?|shrimps?|crabs?|crawfish|crayfish|scallops?|squid|lobster|mussels?|clams?"
        r"|oysters?|fish|eggs?|milk|dairy"
        r"|lactose|gluten|wheat|rye|oats|soya?|soy|celery|mustard|lupin|kiwis?|strawberr(?:y|ies)|apples?|peach(?:es)?"
        r"|mango(?:s|es)?|bananas?|pineapples?|tomato(?:es)?|fructose|histamine|sulphites?|msg|food"
    ),
    Allergen.STING: (
        r"(?:(?:bee|wasp|hornet|insect)(?:,| and| or) )?(?:bee|wasp|hornet|insect)(?:'s)?(?: stings?| bites?| venom)?"
        r"|(?:bees|wasps|hornets)(?: (?:and|or) (?:bees|wasps|hornets))?"
    ),
}
_ALLERGY = r"allerg(?:ic|y|ies)"
_SPEAKS_OF_ONE = re.compile(
    r"allerg|intoleran|epipens?\b|anaphyla|\bsting|\bstung\b|swell|hives\b|hay ?fever|\bkill(?:ed)? me\b|\breact"
    r"|\binto shock\b|\bup in (?:the er|a&e)\b|\b(?:blow|puff)s? up\b"
    r"|(?:can't|cannot|must not) (?:have|take)\b|penicillin"
)
_NAME = rf"(?<![\w-])(?:{'|'.join(f'(?P<{one}>{names})' for one, names in _NAMES.items())})(?![\w-])"
_NOT_HAD = r"\b(?:can't|cannot|must not) (?:have|take) §"
_TREATMENT = r"(?:aspirin|ibuprofen|nsaids?|codeine|morphine|paracetamol|naproxen|diclofenac)"
_ALLERGIC_DRUG = rf"(?<=allergic to ){_TREATMENT}\b|\b{_TREATMENT}(?= allerg(?:y|ies)\b)"
"""Drugs that a text names mostly because somebody takes them."""
_GOES_ON = (
    r"(?:also|always|already|and|but|by|came|carries|carry|ends?|from|gets?|goes|had|has|have|he|i|i'm|in|it|it's|its|like"
    r"|must|needs?|properly|really|severely|she|since|so|swells?|takes?|that|they|thing|too|very|we|when|which|with|you"
    r"|allerg(?:y|ies|ic)|reactions?|my|your|our|his|her|the|for|as|at|on|is|are|was|were|anaphyla\w+|almost|bad|because"
    r"|badly|diagnosed|don't|ended|even|found|full|full-blown|if|just|keep|last|nearly|never|not|once|only|please|proper"
    r"|real|serious|seriously|this|what|whatever)"
)
_PLAIN = (
    r"(?:all|any|some|the|most|certain|strong|my|our|his|her|a|an|this|that|no|severe|bad|proper|mild|known|drug|of)"
)
_OTHER = (
    rf"\b{_ALLERGY}(?: to|:| are| include| is)\s+(?:{_PLAIN} )*(?!{_PLAIN}\b)\w"  # allergic to something else
    rf"|§(?:\s*,| and| or|\s*[&/])+ (?!{_GOES_ON}\b)\w"  # or to something else, too
    rf"|\b(?!{_GOES_ON}\b|{_PLAIN}\b)\w+[ -]allerg(?:y|ies)\b"  # a nut allergy
    r"|(?<!§ )(?<!§-)\bintoleran(?:t|ce|ces)\b(?! (?:to|of|for) (?:any |all |the )?§)"
)


def names_allergen(plain: str) -> bool:
    """Return True if a text in lower case names something that people are allergic to, a drug included."""
    return re.search(rf"{_NAME}|\b{_TREATMENT}\b", plain) is not None


def is_allergen(plain: str) -> bool:
    """Return True for the name of such a thing in lower case, and no more words: "tree nuts", not "add nuts"."""
    return re.fullmatch(rf"(?:(?:all|most|some|any) )?(?:{_NAME}|{_TREATMENT})", plain) is not None


def allergens(plain: str) -> tuple[frozenset[Allergen], str]:
    """Return the causes of the allergies in a text in lower case, and the text with a sign in place of their names.

    None if it speaks of no allergy, or names no drug, nothing touched or breathed, no stings: then any is as to food.
    """
    if _SPEAKS_OF_ONE.search(plain) is None:  # the other patterns take 8 ms to compile, which most hooks save
        return frozenset(), plain
    found = {Allergen(name.lastgroup) for name in re.finditer(_NAME, plain) if name.lastgroup}
    rest, drugs = re.subn(_ALLERGIC_DRUG, "§", re.sub(_NAME, "§", plain))
    found |= {Allergen.DRUG} if drugs else set()
    if found and re.search(_OTHER, rest):
        found.add(Allergen.OTHER)
    return frozenset(found), re.sub(_NOT_HAD, "", rest)
