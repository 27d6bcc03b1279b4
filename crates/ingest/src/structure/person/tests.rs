//! Lines of authors.

use super::*;

fn check(text: &str, want: &[&str]) {
    let text = text.replace('^', &MARK.to_string()).replace('\n', &BREAK.to_string());
    assert_eq!(names(&text).list, want, "{text}");
}

#[test]
fn names_lose_their_marks() {
    check(
        "Jane A. Smith 1,2, Li Wei1* and Óscar de la Cruz3",
        &["Jane A. Smith", "Li Wei", "Óscar de la Cruz"],
    );
    check("Maria Rossi a,b, Pierre Le Blanc c", &["Maria Rossi", "Pierre Le Blanc"]);
    check("Yu Li^^ , Rosa Lam^, Ann Po^", &["Yu Li", "Rosa Lam", "Ann Po"]);
    check("Anna Berg ✉, Tom Ash‡☯", &["Anna Berg", "Tom Ash"]);
    check("Kim Oster[1], Jo Falk (2)", &["Kim Oster", "Jo Falk"]);
}

#[test]
fn degrees_titles_and_addresses_are_no_names() {
    check("Anna Berg, MD, PhD; Tom O’Neil, RN", &["Anna Berg", "Tom O’Neil"]);
    check("Dr. Anna Berg MBBS FRCP, Prof. Tom Ash M.D., Ph.D.", &["Anna Berg", "Tom Ash"]);
    check("Anna Berg^, MBChB, MPH; Tom Ash^, BA", &["Anna Berg", "Tom Ash"]);
    check("Yo-Lin MA, Anna Berg", &["Yo-Lin MA", "Anna Berg"]);
    check("Anna Berg anna@snail.org and Tom Ash https://orcid.org/0000-0001", &["Anna Berg", "Tom Ash"]);
    check("Anna Berg ID 1, Tom AshID2", &["Anna Berg", "Tom Ash"]);
    check("Anna Berg, MB, Tom Ash, MD, Jo Falk, MM", &["Anna Berg", "Tom Ash", "Jo Falk"]);
    check("John Ulrich, Jr., Anna Berg III", &["John Ulrich Jr.", "Anna Berg III"]);
}

#[test]
fn names_of_many_kinds() {
    check(
        "María del S. Hernández-Montes,* and Jan van ’t Hoff",
        &["María del S. Hernández-Montes", "Jan van ’t Hoff"],
    );
    check(
        "YING SHEN,1 HAU-SAN MCDONALD,2 and A. DE LA CRUZ3",
        &["Ying Shen", "Hau-San McDonald", "A. de la Cruz"],
    );
    check("Anna Ju\n¨rger1, Dar´ıo Mun˜oz2 and Yee How Say", &["Anna Jürger", "Darío Muñoz", "Yee How Say"]);
    check("Anna BERG and Tom d’Angelo", &["Anna Berg", "Tom d’Angelo"]);
    check("Jack DeHovitz, Omar al-Rashid", &["Jack DeHovitz", "Omar al-Rashid"]);
    check("N. S. Maan, J.-P. Blanc & T. Ash", &["N. S. Maan", "J.-P. Blanc", "T. Ash"]);
    check("Smith, J. A., Wei, L. and O’Neil, T.", &["J. A. Smith", "L. Wei", "T. O’Neil"]);
    check("Smith J, Wei LT, de la Cruz O", &["Smith J", "Wei LT", "de la Cruz O"]);
    check("Иван Петров, Анна Иванова", &["Иван Петров", "Анна Иванова"]);
    check("山田太郎、鈴木花子", &["山田太郎", "鈴木花子"]);
}

#[test]
fn groups_are_authors() {
    check(
        "Anna Berg, Tom Ash, on behalf of the Garden Snail Study Group",
        &["Anna Berg", "Tom Ash", "Garden Snail Study Group"],
    );
    check("Anna Berg, Tom Ash, on behalf of SNAILNET", &["Anna Berg", "Tom Ash", "SNAILNET"]);
    check(
        "Anna Berg, Tom Ash; for the Slime Working Party",
        &["Anna Berg", "Tom Ash", "Slime Working Party"],
    );
    check("Anna Berg, on behalf of all authors", &["Anna Berg"]);
    check("Anna Berg and the SLIME Investigators", &["Anna Berg", "SLIME Investigators"]);
}

#[test]
fn lines_break_inside_names_and_between_them() {
    check("Anna Berg^, Tom\nAsh^, Kim Oster", &["Anna Berg", "Tom Ash", "Kim Oster"]);
    check("Anna Berg · Tom Ash\nKim Oster · Jo Falk", &["Anna Berg", "Tom Ash", "Kim Oster", "Jo Falk"]);
    check("Anna Berg\nTom Ash\nKim Oster", &["Anna Berg", "Tom Ash", "Kim Oster"]);
    check("Anna Berg, Anne-\nMarie Ash", &["Anna Berg", "Anne-Marie Ash"]);
    check("Anna Berg,\nTom Ash and\nKim Oster", &["Anna Berg", "Tom Ash", "Kim Oster"]);
}

#[test]
fn what_is_no_name_ends_the_names() {
    check("Department of Physiology, University of Nowhere, Springfield, USA", &[]);
    check("The effects were measured in all of the groups", &[]);
    check("Highlights BdDV- Anna", &[]);
    check("Anna Berg1, Tom Ash2\n1Department of Snails, Lower Wood", &["Anna Berg", "Tom Ash"]);
    check("Ways to sleep, Ash 12 and more", &[]);
    check("U.S. Snail Accountability Office", &[]);
    check("Editor: Anna Berg. Printer: Slime Media Group.", &[]);
    check("", &[]);
    assert!(names("Anna Berg, Tom Ash and").open && !names("Anna Berg, Tom Ash").open);
    assert_eq!(names("Anna Berg1, Tom Ash2").marked, 2);
}

#[test]
fn initials_stand_apart_from_surnames() {
    check(
        "L.Fernandez dos Anjos^,Yu.A.Pusep1*, D.Smirnov2, and A.-K.Bakarin",
        &["L. Fernandez dos Anjos", "Yu.A. Pusep", "D. Smirnov", "A.-K. Bakarin"],
    );
    check("J.LIN, T.M.ASH,\nD.O'NEIL", &["J. Lin", "T.M. Ash", "D. O'Neil"]);
    check("Anna Berg, M.Sc., Tom Ash, Ph.D., Jo Falk M.D.", &["Anna Berg", "Tom Ash", "Jo Falk"]);
    check("J.A. Smith, Mary St.John", &["J.A. Smith", "Mary St. John"]);
    check("1st Anna Berg\n2nd Tom Ash", &["Anna Berg", "Tom Ash"]);
}
