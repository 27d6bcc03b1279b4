"""The forms in which the text of a PDF and that of its JATS are compared."""

import re
import unicodedata

# Signs and letters that print the same; PDFs and publishers use either.
SAME_SIGN = {"∆": "δ", "∑": "σ", "∏": "π"}
# "2.1. Participants", "2.Methods": what sets a number of digits off is a sign or white space.
DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)*(?=[.):\s])[.):]*\s*(?=[^\W\d_])")
# "IV. Results", "a) Setting": a Roman number or a letter needs a sign and white space.
LETTERED = re.compile(r"(?:[IVXLCivxlc]+|[A-Za-z])(?![^\W_])[.):]+\s+(?=[^\W\d_])")


def strict(text):
    """The strict form: each run of white space as one space, none at the ends."""
    return " ".join(text.split())


def letters(text):
    """Letters and digits alone, in lower case and NFKC: the form in which running text is searched."""
    lower = "".join(c.lower() for c in unicodedata.normalize("NFKC", text))
    kept = (SAME_SIGN.get(c, c) for c in unicodedata.normalize("NFKC", lower) if c in SAME_SIGN or c.isalnum())
    # Dropping a character can bring combining marks together; this puts them in their fixed order.
    return unicodedata.normalize("NFKC", "".join(kept))


def soft(heading):
    """The soft form of a heading: its letters without a leading number."""
    heading = heading.lstrip()
    number = DECIMAL.match(heading) or LETTERED.match(heading)
    return letters(heading[number.end() :] if number else heading)


def name_words(name):
    """The words of a person's or group's name, folded, without accents and without an article."""
    plain = str.maketrans("øØłŁđĐðÐı", "oollddddi")
    words = []
    for word in re.split(r"[\s\-,.\u2010\u2011–]", name):
        bare = (c for c in unicodedata.normalize("NFKD", word) if not unicodedata.category(c).startswith("M"))
        words.append(letters("".join(bare).translate(plain)))
    return [word for word in words if word and word != "the"]
