"""Word lists: words of statements about a password, words of sentences, and names of secrets."""

ABOUT = frozenset(
    """
    abgelaufen about above absolutely accepted actually added admin again all allowed almost already also always and
    anonymous another any anything anywhere ask asked asks attempts auth auth-failed authenticated authentication
    available base64 base64-encoded based-auth because been before being below better blank blocked bool boolean
    both bound boş broken bytes błędne cached call callback called case case-insensitive case-sensitive caught
    change changed changes changing check checked checks class clear code coming common compared complex compromised
    compulsory confirm confirmation confirmed considered containing contains context correct correcta correctly
    could created current currently data database date dead debole decrypted default defined deleted derived
    description dict different difficult disabled disclosed displayed divulged does doing done débil each easily
    easy either empty enabled encoded encrypted ending enough entered entering entropy entry env environment equal
    erforderlich errada errata error every everywhere exactly expected expirada expired expiry expiré exposed
    extracted faible fail failed failing fails falsch fel field file fine first float forgot forgotten form format
    found fraca from fully geheim generated generator gesetzt gespeichert getpass getting given gleich glömt going
    gone good great guessable handled hard hard-coded hardcoded has hash hashed hashing hatalı have here hidden hint
    hints hopefully identical if ignored image immutable important in included incorrect incorrecta incorrectly
    incorrectly-typed incorrecto incorreta indeed input insecure inside instead int integer invalid invalidated
    invalide inválida item item's its itself json just kept key keyring known korrekt kurz label lang leaked leave
    leeg leer left length less like likely limited line list locked logged login long longer lost made mailed
    manager mandatory many masked match matched matches matching maybe me min minimum mismatch missing more most
    much must name near necessary need needed needs never new next nieprawidłowe nil no nobody node none nonempty
    normal not nothing notwendig null nullable number obbligatoria object obligatoire obligatoria obscured obsolete
    obvious obviously off okay old on once one ones onjuist only option optional or oublié out outdated output over
    own param parameter parsed parts pass passed passphrase password passwords path perdu plain plain-text plaintext
    please policy possible possibly present printable printed private probably prompt prompted prompts protect
    protected protection provided public pull push puste put quite random rather raw read read-only ready really
    received recommended recovered recovery redacted refresh refused rejected removed request requests required
    requis reset rest result retrieved return returned returns reused richtig right rotated safe salted same same-as
    saved sbagliata scaduta scheme secret secure securely see segura self send sensitive sent server set setting
    shared sharing short should shown sicher similar simple simply size so something sometimes somewhere soon source
    specified stars start stdin still stolen storage stored str string strings stripped strong strong-enough
    stronger submitted supplied supported supposed sure sync syntax słabe tab table taken test text than that their
    then there they thing this three time to token tomt too transmitted true tuple two type typed typing unbekannt
    unchanged unencrypted unguessable ungültig unique unknown unsafe unset unsicher until up updated us used useless
    user username uses usually vacía valid validated value values var varchar variable vergessen vergeten verified
    verkeerd verplicht very vide visible void want wants was weak weaker were what when where which will with within
    without word words working would write-only written wrong yanlış yes yet you your должен забыт неверный
    неправильный обязателен правильный пустой слабый слишком
    """.split()
)
STOP = frozenset(
    """
    the of and to a in is that it for as was with be by on not he his but at are this have from or had an they which
    one you were her all she there would their we him been has when who will no more if out so said what up its
    about into than them can only other some could time these two may then do first any my now such like our over me
    even most made after also did many before must through much your way well should because each just those i am
    it's don't didn't doesn't isn't can't won't please thanks hello hi yes der die das und ist nicht ich mein mit
    für auf ein eine zu von el la los que en por con una es mi se le les des est pour dans une pas mais et il à non
    per che un
    """.split()
)
NAMING = frozenset(
    """
    my our your his her their the a an is are was be it its it's s this here and or of i use as now new old mein meine
    unser das die der ist und mi mis la el es y mon ma le les est et il lo è e meu minha
    password passwords passphrase passcode passwd pwd pw pass passwort kennwort contraseña senha hasło пароль
    pin pins code codes cvv cvc key keys token tokens secret secrets api access private client auth credential
    credentials creds login username user card number numbers no iban ssn account sort routing seed phrase
    recovery backup security answer passport wifi wi fi wlan
    """.split()
)
