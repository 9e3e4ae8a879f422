"""Everyday sentences in four languages, composed from subjects, hand-written verb tables, objects and adverbs."""

# I you(tu) he she we they and names: English, German, French, Spanish, person (0..5), feminine
SUBJECTS = [
    ("I", "ich", "je", "yo", 0),
    ("you", "du", "tu", "tú", 1),
    ("he", "er", "il", "él", 2),
    ("she", "sie", "elle", "ella", 2),
    ("we", "wir", "nous", "nosotros", 3),
    ("they", "sie", "ils", "ellos", 5),
    ("Tom", "Tom", "Tom", "Tom", 2),
    ("Mary", "Maria", "Marie", "María", 2),
    ("my brother", "mein Bruder", "mon frère", "mi hermano", 2),
    ("my sister", "meine Schwester", "ma sœur", "mi hermana", 2),
    ("my father", "mein Vater", "mon père", "mi padre", 2),
    ("my mother", "meine Mutter", "ma mère", "mi madre", 2),
    ("the teacher", "der Lehrer", "le professeur", "el profesor", 2),
    ("the children", "die Kinder", "les enfants", "los niños", 5),
    ("my friend", "mein Freund", "mon ami", "mi amigo", 2),
    ("our neighbors", "unsere Nachbarn", "nos voisins", "nuestros vecinos", 5),
    ("the doctor", "der Arzt", "le médecin", "el médico", 2),
    ("this man", "dieser Mann", "cet homme", "este hombre", 2),
    ("that woman", "diese Frau", "cette femme", "esa mujer", 2),
    ("my parents", "meine Eltern", "mes parents", "mis padres", 5),
    ("everyone", "jeder", "tout le monde", "todo el mundo", 2),
    ("nobody", "niemand", "personne", "nadie", 2),
    ("the students", "die Schüler", "les élèves", "los alumnos", 5),
]

# English base past pp ing | German ich du er wir, participle (+ = with sein) | French je tu il nous vous ils, participle (+ = être), infinitive
# | Spanish yo tú él nosotros ellos, preterite yo tú él nosotros ellos, participle, infinitive
VERBS = """
eat ate eaten eating|esse isst isst essen gegessen|mange manges mange mangeons mangent mangé manger|como comes come comemos comen comí comiste comió comimos comieron comido comer|an apple/einen Apfel/une pomme/una manzana;bread/Brot/du pain/pan;fish/Fisch/du poisson/pescado;rice/Reis/du riz/arroz;a cake/einen Kuchen/un gâteau/un pastel;dinner/Abendessen/le dîner/la cena
drink drank drunk drinking|trinke trinkst trinkt trinken getrunken|bois bois boit buvons boivent bu boire|bebo bebes bebe bebemos beben bebí bebiste bebió bebimos bebieron bebido beber|water/Wasser/de l'eau/agua;coffee/Kaffee/du café/café;tea/Tee/du thé/té;milk/Milch/du lait/leche;a glass of wine/ein Glas Wein/un verre de vin/una copa de vino;a beer/ein Bier/une bière/una cerveza
read read read reading|lese liest liest lesen gelesen|lis lis lit lisons lisent lu lire|leo lees lee leemos leen leí leíste leyó leímos leyeron leído leer|a book/ein Buch/un livre/un libro;the newspaper/die Zeitung/le journal/el periódico;this letter/diesen Brief/cette lettre/esta carta;the book/das Buch/le livre/el libro;a story/eine Geschichte/une histoire/una historia
write wrote written writing|schreibe schreibst schreibt schreiben geschrieben|écris écris écrit écrivons écrivent écrit écrire|escribo escribes escribe escribimos escriben escribí escribiste escribió escribimos escribieron escrito escribir|a letter/einen Brief/une lettre/una carta;a book/ein Buch/un livre/un libro;an e-mail/eine E-Mail/un courriel/un correo electrónico;a song/ein Lied/une chanson/una canción
buy bought bought buying|kaufe kaufst kauft kaufen gekauft|achète achètes achète achetons achètent acheté acheter|compro compras compra compramos compran compré compraste compró compramos compraron comprado comprar|a car/ein Auto/une voiture/un coche;a house/ein Haus/une maison/una casa;a new computer/einen neuen Computer/un nouvel ordinateur/un ordenador nuevo;two tickets/zwei Karten/deux billets/dos entradas;some flowers/Blumen/des fleurs/flores;these shoes/diese Schuhe/ces chaussures/estos zapatos
sell sold sold selling|verkaufe verkaufst verkauft verkaufen verkauft|vends vends vend vendons vendent vendu vendre|vendo vendes vende vendemos venden vendí vendiste vendió vendimos vendieron vendido vender|the house/das Haus/la maison/la casa;the car/das Auto/la voiture/el coche;old books/alte Bücher/de vieux livres/libros viejos
see saw seen seeing|sehe siehst sieht sehen gesehen|vois vois voit voyons voient vu voir|veo ves ve vemos ven vi viste vio vimos vieron visto ver|a movie/einen Film/un film/una película;the sea/das Meer/la mer/el mar;a bird/einen Vogel/un oiseau/un pájaro;the mountain/den Berg/la montagne/la montaña;the house/das Haus/la maison/la casa
find found found finding|finde findest findet finden gefunden|trouve trouves trouve trouvons trouvent trouvé trouver|encuentro encuentras encuentra encontramos encuentran encontré encontraste encontró encontramos encontraron encontrado encontrar|the key/den Schlüssel/la clé/la llave;a solution/eine Lösung/une solution/una solución;the answer/die Antwort/la réponse/la respuesta;a job/eine Arbeit/un travail/un trabajo
lose lost lost losing|verliere verlierst verliert verlieren verloren|perds perds perd perdons perdent perdu perdre|pierdo pierdes pierde perdemos pierden perdí perdiste perdió perdimos perdieron perdido perder|the key/den Schlüssel/la clé/la llave;the game/das Spiel/le match/el partido;time/Zeit/du temps/tiempo;the money/das Geld/l'argent/el dinero
have had had having|habe hast hat haben gehabt|ai as a avons ont eu avoir|tengo tienes tiene tenemos tienen tuve tuviste tuvo tuvimos tuvieron tenido tener|a dog/einen Hund/un chien/un perro;a cat/eine Katze/un chat/un gato;time/Zeit/le temps/tiempo;a question/eine Frage/une question/una pregunta;a problem/ein Problem/un problème/un problema;money/Geld/de l'argent/dinero;three children/drei Kinder/trois enfants/tres hijos
learn learned learned learning|lerne lernst lernt lernen gelernt|apprends apprends apprend apprenons apprennent appris apprendre|aprendo aprendes aprende aprendemos aprenden aprendí aprendiste aprendió aprendimos aprendieron aprendido aprender|Spanish/Spanisch/l'espagnol/español;French/Französisch/le français/francés;German/Deutsch/l'allemand/alemán;English/Englisch/l'anglais/inglés;a new language/eine neue Sprache/une nouvelle langue/un nuevo idioma
speak spoke spoken speaking|spreche sprichst spricht sprechen gesprochen|parle parles parle parlons parlent parlé parler|hablo hablas habla hablamos hablan hablé hablaste habló hablamos hablaron hablado hablar|Spanish/Spanisch/espagnol/español;French/Französisch/français/francés;German/Deutsch/allemand/alemán;English/Englisch/anglais/inglés;three languages/drei Sprachen/trois langues/tres idiomas
understand understood understood understanding|verstehe verstehst versteht verstehen verstanden|comprends comprends comprend comprenons comprennent compris comprendre|entiendo entiendes entiende entendemos entienden entendí entendiste entendió entendimos entendieron entendido entender|the question/die Frage/la question/la pregunta;this word/dieses Wort/ce mot/esta palabra;the problem/das Problem/le problème/el problema;this sentence/diesen Satz/cette phrase/esta frase
know knew known knowing|kenne kennst kennt kennen gekannt|connais connais connaît connaissons connaissent connu connaître|conozco conoces conoce conocemos conocen conocí conociste conoció conocimos conocieron conocido conocer|this city/diese Stadt/cette ville/esta ciudad;the way/den Weg/le chemin/el camino;this song/dieses Lied/cette chanson/esta canción;the story/die Geschichte/l'histoire/la historia
open opened opened opening|öffne öffnest öffnet öffnen geöffnet|ouvre ouvres ouvre ouvrons ouvrent ouvert ouvrir|abro abres abre abrimos abren abrí abriste abrió abrimos abrieron abierto abrir|the door/die Tür/la porte/la puerta;the window/das Fenster/la fenêtre/la ventana;the box/die Schachtel/la boîte/la caja;the letter/den Brief/la lettre/la carta
close closed closed closing|schließe schließt schließt schließen geschlossen|ferme fermes ferme fermons ferment fermé fermer|cierro cierras cierra cerramos cierran cerré cerraste cerró cerramos cerraron cerrado cerrar|the door/die Tür/la porte/la puerta;the window/das Fenster/la fenêtre/la ventana;the shop/das Geschäft/le magasin/la tienda;the book/das Buch/le livre/el libro
make made made making|mache machst macht machen gemacht|fais fais fait faisons font fait faire|hago haces hace hacemos hacen hice hiciste hizo hicimos hicieron hecho hacer|a mistake/einen Fehler/une erreur/un error;a cake/einen Kuchen/un gâteau/un pastel;a plan/einen Plan/un plan/un plan;breakfast/Frühstück/le petit déjeuner/el desayuno;progress/Fortschritte/des progrès/progresos
love loved loved loving|liebe liebst liebt lieben geliebt|aime aimes aime aimons aiment aimé aimer|amo amas ama amamos aman amé amaste amó amamos amaron amado amar|music/Musik/la musique/la música;this city/diese Stadt/cette ville/esta ciudad;animals/Tiere/les animaux/los animales;the sea/das Meer/la mer/el mar
hear heard heard hearing|höre hörst hört hören gehört|entends entends entend entendons entendent entendu entendre|oigo oyes oye oímos oyen oí oíste oyó oímos oyeron oído oír|a noise/ein Geräusch/un bruit/un ruido;the music/die Musik/la musique/la música;a voice/eine Stimme/une voix/una voz
bring brought brought bringing|bringe bringst bringt bringen gebracht|apporte apportes apporte apportons apportent apporté apporter|traigo traes trae traemos traen traje trajiste trajo trajimos trajeron traído traer|the book/das Buch/le livre/el libro;the money/das Geld/l'argent/el dinero;a gift/ein Geschenk/un cadeau/un regalo;the key/den Schlüssel/la clé/la llave
play played played playing|spiele spielst spielt spielen gespielt|joue joues joue jouons jouent joué jouer|juego juegas juega jugamos juegan jugué jugaste jugó jugamos jugaron jugado jugar|soccer/Fußball/au football/al fútbol;tennis/Tennis/au tennis/al tenis;cards/Karten/aux cartes/a las cartas;chess/Schach/aux échecs/al ajedrez;in the garden/im Garten/dans le jardin/en el jardín
work worked worked working|arbeite arbeitest arbeitet arbeiten gearbeitet|travaille travailles travaille travaillons travaillent travaillé travailler|trabajo trabajas trabaja trabajamos trabajan trabajé trabajaste trabajó trabajamos trabajaron trabajado trabajar|in an office/in einem Büro/dans un bureau/en una oficina;in the garden/im Garten/dans le jardin/en el jardín;at home/zu Hause/à la maison/en casa;too much/zu viel/trop/demasiado;with me/mit mir/avec moi/conmigo
live lived lived living|wohne wohnst wohnt wohnen gewohnt|habite habites habite habitons habitent habité habiter|vivo vives vive vivimos viven viví viviste vivió vivimos vivieron vivido vivir|in Paris/in Paris/à Paris/en París;in a small village/in einem kleinen Dorf/dans un petit village/en un pueblo pequeño;near the station/in der Nähe des Bahnhofs/près de la gare/cerca de la estación;in Germany/in Deutschland/en Allemagne/en Alemania;here/hier/ici/aquí
sleep slept slept sleeping|schlafe schläfst schläft schlafen geschlafen|dors dors dort dormons dorment dormi dormir|duermo duermes duerme dormimos duermen dormí dormiste durmió dormimos durmieron dormido dormir|well/gut/bien/bien;here/hier/ici/aquí;on the sofa/auf dem Sofa/sur le canapé/en el sofá
wait waited waited waiting|warte wartest wartet warten gewartet|attends attends attend attendons attendent attendu attendre|espero esperas espera esperamos esperan esperé esperaste esperó esperamos esperaron esperado esperar|here/hier/ici/aquí;outside/draußen/dehors/fuera;at the station/am Bahnhof/à la gare/en la estación
sing sang sung singing|singe singst singt singen gesungen|chante chantes chante chantons chantent chanté chanter|canto cantas canta cantamos cantan canté cantaste cantó cantamos cantaron cantado cantar|a song/ein Lied/une chanson/una canción;very well/sehr gut/très bien/muy bien
cook cooked cooked cooking|koche kochst kocht kochen gekocht|cuisine cuisines cuisine cuisinons cuisinent cuisiné cuisiner|cocino cocinas cocina cocinamos cocinan cociné cocinaste cocinó cocinamos cocinaron cocinado cocinar|very well/sehr gut/très bien/muy bien;for the family/für die Familie/pour la famille/para la familia
pay paid paid paying|bezahle bezahlst bezahlt bezahlen bezahlt|paie paies paie payons paient payé payer|pago pagas paga pagamos pagan pagué pagaste pagó pagamos pagaron pagado pagar|the bill/die Rechnung/l'addition/la cuenta;too much/zu viel/trop/demasiado
visit visited visited visiting|besuche besuchst besucht besuchen besucht|visite visites visite visitons visitent visité visiter|visito visitas visita visitamos visitan visité visitaste visitó visitamos visitaron visitado visitar|the museum/das Museum/le musée/el museo;Spain/Spanien/l'Espagne/España;the city/die Stadt/la ville/la ciudad;London/London/Londres/Londres
forget forgot forgotten forgetting|vergesse vergisst vergisst vergessen vergessen|oublie oublies oublie oublions oublient oublié oublier|olvido olvidas olvida olvidamos olvidan olvidé olvidaste olvidó olvidamos olvidaron olvidado olvidar|the name/den Namen/le nom/el nombre;the umbrella/den Regenschirm/le parapluie/el paraguas
want wanted wanted wanting|will willst will wollen gewollt|veux veux veut voulons veulent voulu vouloir|quiero quieres quiere queremos quieren quise quisiste quiso quisimos quisieron querido querer|a dog/einen Hund/un chien/un perro;more time/mehr Zeit/plus de temps/más tiempo;the truth/die Wahrheit/la vérité/la verdad;a new car/ein neues Auto/une nouvelle voiture/un coche nuevo
help helped helped helping|helfe hilfst hilft helfen geholfen|aide aides aide aidons aident aidé aider|ayudo ayudas ayuda ayudamos ayudan ayudé ayudaste ayudó ayudamos ayudaron ayudado ayudar|the neighbors/den Nachbarn/les voisins/a los vecinos;the children/den Kindern/les enfants/a los niños;an old man/einem alten Mann/un vieil homme/a un hombre mayor
go went gone going|gehe gehst geht gehen +gegangen|vais vas va allons vont +allé aller|voy vas va vamos van fui fuiste fue fuimos fueron ido ir|home/nach Hause/à la maison/a casa;to school/zur Schule/à l'école/a la escuela;to the doctor/zum Arzt/chez le médecin/al médico;to the cinema/ins Kino/au cinéma/al cine;to the station/zum Bahnhof/à la gare/a la estación;to bed/ins Bett/au lit/a la cama
come came come coming|komme kommst kommt kommen +gekommen|viens viens vient venons viennent +venu venir|vengo vienes viene venimos vienen vine viniste vino vinimos vinieron venido venir|with us/mit uns/avec nous/con nosotros;from Spain/aus Spanien/d'Espagne/de España;by train/mit dem Zug/en train/en tren;too late/zu spät/trop tard/demasiado tarde
"""

ADVERBS = {
    "past": [
        "yesterday/gestern/hier/ayer",
        "last week/letzte Woche/la semaine dernière/la semana pasada",
        "last year/letztes Jahr/l'année dernière/el año pasado",
        "this morning/heute Morgen/ce matin/esta mañana",
        "two days ago/vor zwei Tagen/il y a deux jours/hace dos días",
    ],
    "present": [
        "every day/jeden Tag/tous les jours/todos los días",
        "today/heute/aujourd'hui/hoy",
        "often/oft/souvent/a menudo",
        "now/jetzt/maintenant/ahora",
        "on Sundays/sonntags/le dimanche/los domingos",
        "in the morning/am Morgen/le matin/por la mañana",
    ],
    "future": [
        "tomorrow/morgen/demain/mañana",
        "next week/nächste Woche/la semaine prochaine/la semana que viene",
        "tonight/heute Abend/ce soir/esta noche",
        "soon/bald/bientôt/pronto",
        "next year/nächstes Jahr/l'année prochaine/el año que viene",
    ],
}

# adjectives after "to be": English, German, French masculine feminine, Spanish masculine feminine (+ = estar)
STATES = """
tired|müde|fatigué fatiguée|+cansado cansada
happy|glücklich|heureux heureuse|feliz feliz
sick|krank|malade malade|+enfermo enferma
busy|beschäftigt|occupé occupée|+ocupado ocupada
rich|reich|riche riche|rico rica
young|jung|jeune jeune|joven joven
old|alt|vieux vieille|viejo vieja
ready|bereit|prêt prête|+listo lista
sad|traurig|triste triste|+triste triste
right here|genau hier|ici ici|+aquí aquí
at home|zu Hause|à_la_maison à_la_maison|+en_casa en_casa
strong|stark|fort forte|fuerte fuerte
famous|berühmt|célèbre célèbre|famoso famosa
alone|allein|seul seule|+solo sola
very tall|sehr groß|très_grand très_grande|muy_alto muy_alta
in a hurry|in Eile|pressé pressée|+con_prisa con_prisa
angry|wütend|en_colère en_colère|+enfadado enfadada
late|spät dran|en_retard en_retard|+retrasado retrasada
"""

TO_BE = dict(
    en=[("am", "was"), ("are", "were"), ("is", "was"), ("are", "were"), ("are", "were"), ("are", "were")],
    de=[("bin", "war"), ("bist", "warst"), ("ist", "war"), ("sind", "waren"), ("seid", "wart"), ("sind", "waren")],
    fr=[("suis", "étais"), ("es", "étais"), ("est", "était"), ("sommes", "étions"), ("êtes", "étiez"), ("sont", "étaient")],
    ser=[("soy", "era"), ("eres", "eras"), ("es", "era"), ("somos", "éramos"), ("sois", "erais"), ("son", "eran")],
    estar=[
        ("estoy", "estaba"),
        ("estás", "estabas"),
        ("está", "estaba"),
        ("estamos", "estábamos"),
        ("estáis", "estabais"),
        ("están", "estaban"),
    ],
)
