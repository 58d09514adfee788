import pytest

from curator.compare.wordings import (
    differ_in_kind,
    given_up,
    is_place_only,
    moved_event,
    reached_value,
    reasons_both_hold,
    refused_by_both,
    ruled_out,
    taken_back,
)


@pytest.mark.parametrize(
    ("a", "b", "left"),
    [
        ("We use npm here, not yarn.", "Don't run npm here any more", "npm"),
        ("Logging is zap in all packages", "Replace zap with log/slog everywhere", "zap"),
        ("tabs in this project", "use spaces here, not tabs", "tabs"),
        ("the service is called quoter", "quoter was renamed to pricing-api", "quoter"),
        ("quoter has four endpoints", "quoter was renamed to pricing-api", ""),
        ("We use Docker in CI", "We stopped using Docker Hub for images", ""),
        ("We don't use npm", "npm is gone", ""),
        ("I worked with npm at school", "npm is gone", ""),
        ("I use npm", "My brother dropped npm", ""),
    ],
)
def test_what_one_uses_the_other_gives_up(a: str, b: str, left: str) -> None:
    assert given_up(a, b) == left


@pytest.mark.parametrize(
    ("a", "b", "back"),
    [
        ("I don't do motorways", "I'm fine driving on motorways now", "motorways"),
        ("I'm scared of lifts", "I conquered lifts", "lifts"),
        ("I don't do motorways", "I'm not fine with motorways now", ""),
        ("I like motorways", "I'm fine driving on motorways now", ""),
    ],
)
def test_what_one_shuns_the_other_takes_back(a: str, b: str, back: str) -> None:
    assert taken_back(a, b) == back


def test_an_order_is_ruled_out_in_two_words_and_an_aversion_is_not() -> None:
    assert ruled_out("Always squash merge", "Merge commits, no squashing") == "squashing"
    assert not ruled_out("I hate squashing, we never do it", "no squashing")
    assert not ruled_out("I'm allergic to nuts", "no nuts")


def test_a_weekday_changes_only_where_a_change_is_told() -> None:
    assert moved_event("Choir is every tuesday", "Choir is on Thursdays now") == "choir"
    assert not moved_event("Choir is every tuesday", "Choir is on Thursdays")
    assert not moved_event("Choir is on Thursdays", "Choir is on Thursdays now")


def test_a_value_that_is_reached_is_the_same_value() -> None:
    assert reached_value("It's 1240 a week now", "They put the fees up to 1240") == "1240"
    assert reached_value("The service is called pricing-api", "Quoter was renamed to pricing-api")
    assert not reached_value("It's 1150 a week", "They put the fees up to 1240")
    assert not reached_value("It's not 1240 a week", "They put the fees up to 1240")


def test_both_may_refuse_the_same_and_be_about_one_place_or_two_kinds() -> None:
    assert refused_by_both("I'm scared of heights and don't do lifts", "same as before, no lifts, no heights")
    assert not refused_by_both("I'm afraid of heights", "Heights don't bother me")
    assert is_place_only("Living in Ludlow.", "Got half a plot at the Linney in Ludlow")
    assert not is_place_only("Living in Ludlow.", "I live in Leeds, not in Ludlow")
    assert not is_place_only("Living in Ludlow.", "Sold the house in Ludlow")
    assert differ_in_kind("Integration tests need docker", "Unit tests don't need docker")
    assert not differ_in_kind("All tests need docker", "Unit tests don't need docker")


def test_an_allergy_that_is_given_as_a_reason_is_one_still_unless_it_is_said_to_be_gone() -> None:
    allergic = "I'm allergic to penicillin"
    assert list(reasons_both_hold(allergic, "They gave me doxycycline because of the penicillin allergy"))
    assert not list(reasons_both_hold(allergic, "I can have amoxicillin because of the penicillin allergy being gone"))
