/// The names of weekdays and months in languages other than English, for corrections. A schedule accepts English names
/// only.
enum ForeignNames {
    /// Names from Sunday to Saturday, a language a line, in lower case and without diacritics: German, Dutch, Swedish,
    /// Danish and Norwegian, French, Spanish, Italian, Portuguese, Romanian, Polish, Czech, Croatian, Slovene, Finnish,
    /// Turkish, Indonesian.
    private static let weekdays = table(
        """
        sonntag montag dienstag mittwoch donnerstag freitag samstag
        zondag maandag dinsdag woensdag donderdag vrijdag zaterdag
        sondag mandag tisdag onsdag torsdag fredag lordag
        sondag mandag tirsdag onsdag torsdag fredag lordag
        dimanche lundi mardi mercredi jeudi vendredi samedi
        domingo lunes martes miercoles jueves viernes sabado
        domenica lunedi martedi mercoledi giovedi venerdi sabato
        domingo segunda terca quarta quinta sexta sabado
        duminica luni marti miercuri joi vineri sambata
        niedziela poniedzialek wtorek sroda czwartek piatek sobota
        nedele pondeli utery streda ctvrtek patek sobota
        nedjelja ponedjeljak utorak srijeda cetvrtak petak subota
        nedelja ponedeljek torek sreda cetrtek petek sobota
        sunnuntai maanantai tiistai keskiviikko torstai perjantai lauantai
        pazar pazartesi sali carsamba persembe cuma cumartesi
        minggu senin selasa rabu kamis jumat sabtu
        """)
    /// Names from January to December: German, Dutch, Swedish, Danish and Norwegian, French, Spanish, Italian,
    /// Portuguese, Romanian, Polish, Czech, Finnish, Turkish, Indonesian; then abbreviations that begin no name.
    private static let months = table(
        """
        januar februar marz april mai juni juli august september oktober november dezember
        januari februari maart april mei juni juli augustus september oktober november december
        januari februari mars april maj juni juli augusti september oktober november december
        januar februar marts april maj juni juli august september oktober november desember
        janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
        janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
        ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
        styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien
        leden unor brezen duben kveten cerven cervenec srpen zari rijen listopad prosinec
        tammikuu helmikuu maaliskuu huhtikuu toukokuu kesakuu heinakuu elokuu syyskuu lokakuu marraskuu joulukuu
        ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik
        januari februari maret april mei juni juli agustus september oktober november desember
        - - mrz - - - - - - - - -
        - - mrt - - - - - - - - -
        """)

    private static func table(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").map { $0.split(separator: " ") }
    }

    /// Returns the place of a whole name: of a weekday from Sunday, of a month from January.
    /// - Parameter word: A word in any case, without diacritics.
    /// - Returns: nil if no language has the name, or two languages use it for different ones.
    static func index(ofName word: String, isMonth: Bool) -> Int? {
        only(isMonth, word) { name, word in name == word }
    }

    /// Returns the place of the name that begins with a word of at least two letters.
    /// - Returns: nil if there is none, or there are different ones.
    static func index(ofBeginning word: String, isMonth: Bool) -> Int? {
        word.utf8.count < 2 ? nil : only(isMonth, word) { name, word in name.hasPrefix(word) }
    }

    /// Whether a word begins a name of any language.
    static func contain(beginning word: String, isMonth: Bool) -> Bool {
        let word = word.lowercased()
        return (isMonth ? months : weekdays).contains { $0.contains { $0.hasPrefix(word) } }
    }

    private static func only(
        _ isMonth: Bool, _ word: String, where matches: (_ name: Substring, _ word: String) -> Bool
    ) -> Int? {
        let word = word.lowercased()
        let found = (isMonth ? months : weekdays).flatMap { names in names.indices.filter { matches(names[$0], word) } }
        guard let first = found.first, found.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// Returns a text in which each Latin letter with a diacritic is replaced by its base letter.
    static func withoutDiacritics(_ text: String) -> String {
        String(String.UnicodeScalarView(text.lowercased().unicodeScalars.map { base[$0] ?? $0 }))
    }

    private static let base: [Unicode.Scalar: Unicode.Scalar] = {
        let letters: [(Unicode.Scalar, String)] = [
            ("a", "áàâãäåăą"), ("c", "çćč"), ("d", "ď"), ("e", "éèêëęě"), ("g", "ğ"), ("i", "íìîïı"), ("l", "ł"),
            ("n", "ñńň"), ("o", "óòôõöø"), ("r", "ř"), ("s", "śšşș"), ("t", "ťțţ"), ("u", "úùûüů"), ("y", "ý"),
            ("z", "źżž"),
        ]
        var base: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, variants) in letters { for variant in variants.unicodeScalars { base[variant] = letter } }
        return base
    }()
}
