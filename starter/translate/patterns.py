"""Sentence patterns of tools, user interfaces, error messages, comments and documentation in four languages, by hand.

{n.form} a noun phrase (its forms are in grammar.py), {m.form} a second one, {v.form} a verb, {v.pp:n} a participle that
agrees with the noun (n* in the plural), {x} a placeholder or a name, {k} a number. The first letter is raised by the reader.
Patterns of LABELS have no article in English and no full stop: menu entries, buttons, titles."""

MESSAGES = """
The {n.sg} could not be {v.pp}.|{n.der} konnte nicht {v.pp} werden.|{n.le} n'a pas pu être {v.pp:n}.|No se pudo {v.inf} {n.el}.
Could not {v.base} the {n.sg}.|{n.der} konnte nicht {v.pp} werden.|Impossible de {v.inf} {n.le}.|No se pudo {v.inf} {n.el}.
Cannot {v.base} {x}.|{x} kann nicht {v.pp} werden.|Impossible de {v.inf} {x}.|No se puede {v.inf} {x}.
Cannot {v.base} the {n.sg} {x}.|{n.der} {x} kann nicht {v.pp} werden.|Impossible de {v.inf} {n.le} {x}.|No se puede {v.inf} {n.el} {x}.
Failed to {v.base} the {n.sg}.|{n.der} konnte nicht {v.pp} werden.|Échec : impossible de {v.inf} {n.le}.|Error al {v.inf} {n.el}.
Failed to {v.base} {x}: {y}|{x} konnte nicht {v.pp} werden: {y}|Impossible de {v.inf} {x} : {y}|Error al {v.inf} {x}: {y}
An error occurred while {v.ing} the {n.sg}.|Beim {v.Inf} {n.des} ist ein Fehler aufgetreten.|Une erreur s'est produite lors de la tentative de {v.inf} {n.le}.|Se produjo un error al {v.inf} {n.el}.
The {n.sg} has been {v.pp}.|{n.der} wurde {v.pp}.|{n.le} a été {v.pp:n}.|Se ha {v.pp} {n.el}.
The {n.sg} was successfully {v.pp}.|{n.der} wurde erfolgreich {v.pp}.|{n.le} a été {v.pp:n} avec succès.|{n.el} se ha {v.pp} correctamente.
All {n.pl} have been {v.pp}.|{n.alle} wurden {v.pp}.|{n.tous} ont été {v.pp:n*}.|Se han {v.pp} {n.todos}.
{k} {n.pl} have been {v.pp}.|{k} {n.pl} wurden {v.pp}.|{k} {n.pl} ont été {v.pp:n*}.|Se han {v.pp} {k} {n.pl}.
The {n.sg} will be {v.pp}.|{n.der} wird {v.pp}.|{n.le} sera {v.pp:n}.|Se {v.fut} {n.el}.
The {n.sg} must be {v.pp} first.|{n.der} muss zuerst {v.pp} werden.|{n.le} doit d'abord être {v.pp:n}.|Primero se debe {v.inf} {n.el}.
The {n.sg} {x} does not exist.|{n.der} {x} ist nicht vorhanden.|{n.le} {x} n'existe pas.|{n.el} {x} no existe.
The {n.sg} does not exist.|{n.der} ist nicht vorhanden.|{n.le} n'existe pas.|{n.el} no existe.
The {n.sg} already exists.|{n.der} ist bereits vorhanden.|{n.le} existe déjà.|{n.el} ya existe.
The {n.sg} {x} already exists.|{n.der} {x} ist bereits vorhanden.|{n.le} {x} existe déjà.|{n.el} {x} ya existe.
The {n.sg} was not found.|{n.der} wurde nicht gefunden.|{n.le} est introuvable.|No se ha encontrado {n.el}.
{n.sg} not found.|{n.title} nicht gefunden.|{n.sg} introuvable.|No se ha encontrado {n.el}.
No {n.pl} found.|Keine {n.pl} gefunden.|Impossible de trouver {n.les}.|No se han encontrado {n.pl}.
Do you want to {v.base} the {n.sg}?|Möchten Sie {n.den} {v.inf}?|Voulez-vous {v.inf} {n.le} ?|¿Desea {v.inf} {n.el}?
Are you sure you want to {v.base} the {n.sg}?|Möchten Sie {n.den} wirklich {v.inf}?|Voulez-vous vraiment {v.inf} {n.le} ?|¿Seguro que desea {v.inf} {n.el}?
Do you really want to {v.base} all {n.pl}?|Möchten Sie wirklich {n.alle} {v.inf}?|Voulez-vous vraiment {v.inf} {n.tous} ?|¿Seguro que desea {v.inf} {n.todos}?
Please {v.base} the {n.sg}.|Bitte {v.stem} Sie {n.den}{v.end}.|Veuillez {v.inf} {n.le}.|{v.usted} {n.el}, por favor.
{v.base} the {n.sg} and try again.|{v.stem} Sie {n.den}{v.end} und versuchen Sie es erneut.|{v.vous} {n.le} et réessayez.|{v.usted} {n.el} e inténtelo de nuevo.
{v.base} the {n.sg}, then {w.base} the {m.sg}.|{v.stem} Sie zuerst {n.den}{v.end} und dann {m.den}{w.end}.|{v.vous} {n.le}, puis {w.vous} {m.le}.|{v.usted} {n.el} y después {w.usted} {m.el}.
You can {v.base} the {n.sg} at any time.|Sie können {n.den} jederzeit {v.inf}.|Vous pouvez {v.inf} {n.le} à tout moment.|Puede {v.inf} {n.el} en cualquier momento.
You do not have permission to {v.base} this {n.sg}.|Sie haben keine Berechtigung, {n.diesen} {v.zu}.|Vous n'êtes pas autorisé à {v.inf} {n.ce}.|No tiene permiso para {v.inf} {n.este}.
You must {v.base} the {n.sg} before you {w.base} the {m.sg}.|Sie müssen {n.den} {v.inf}, bevor Sie {m.den} {w.inf}.|Vous devez {v.inf} {n.le} avant de {w.inf} {m.le}.|Debe {v.inf} {n.el} antes de {w.inf} {m.el}.
This {n.sg} is not supported.|{n.dieser} wird nicht unterstützt.|{n.ce} n'est pas {n~pris} en charge.|{n.este} no es compatible.
This {n.sg} cannot be {v.pp}.|{n.dieser} kann nicht {v.pp} werden.|{n.ce} ne peut pas être {v.pp:n}.|No se puede {v.inf} {n.este}.
The {n.sg} is not available.|{n.der} ist nicht verfügbar.|{n.le} n'est pas disponible.|{n.el} no está disponible.
The {n.sg} is too long.|{n.der} ist zu lang.|{n.le} dépasse la longueur maximale.|{n.el} supera la longitud máxima.
The {n.sg} is empty.|{n.der} ist leer.|{n.le} est vide.|{n.el} no contiene nada.
The {n.sg} is missing.|{n.der} fehlt.|Il manque {n.le}.|Falta {n.el}.
The {n.sg} {x} is not valid.|{n.der} {x} ist ungültig.|{n.le} {x} n'est pas valide.|{n.el} {x} no es {n~válido}.
The {n.sg} is required.|{n.der} ist erforderlich.|{n.le} est obligatoire.|Se requiere {n.el}.
Enter the {n.sg} of the {m.sg}.|Geben Sie {n.den} {m.des} ein.|Saisissez {n.le} {m.de}.|Escriba {n.el} {m.de}.
Enter a {n.sg}|{n.label} eingeben|Saisir {n.un}|Escribir {n.un}
Select the {n.sg} you want to {v.base}.|Wählen Sie {n.den} aus, {n.rel} Sie {v.inf} möchten.|Sélectionnez {n.le} à {v.inf}.|Seleccione {n.el} que desea {v.inf}.
Select a {n.sg} to {v.base}.|Wählen Sie {n.einen} zum {v.Inf} aus.|Sélectionnez {n.un} à {v.inf}.|Seleccione {n.un} para {v.inf}.
The {n.sg} of the {m.sg} is invalid.|{n.der} {m.des} ist ungültig.|{n.le} {m.de} n'est pas valide.|{n.el} {m.de} no es {n~correcto}.
The {n.sg} of the {m.sg} has changed.|{n.der} {m.des} hat sich geändert.|{n.le} {m.de} a changé.|{n.el} {m.de} ha cambiado.
The {n.sg} {x} is used by another {m.sg}.|{n.der} {x} wird von {m.einem_anderen} verwendet.|{n.le} {x} est {n~utilisé} par {m.un_autre}.|{m.otro} ya usa {n.el} {x}.
The {n.sg} {x} has been {v.pp} by {y}.|{n.der} {x} wurde von {y} {v.pp}.|{n.le} {x} a été {v.pp:n} par {y}.|{y} ha {v.pp} {n.el} {x}.
If the {n.sg} does not exist, it will be {v.pp}.|Wenn {n.der} nicht vorhanden ist, wird {n.es} {v.pp}.|Si {n.le} n'existe pas, {n.il} sera {v.pp:n}.|Si {n.el} no existe, se {v.fut}.|create
If you {v.base} this {n.sg}, the {m.sg} will be lost.|Wenn Sie {n.diesen} {v.inf}, geht {m.der} verloren.|Si vous {v.vous} {n.ce}, {m.le} sera {m~perdu}.|Si {v.third} {n.este}, se perderá {m.el}.|delete
There is no {n.sg} to {v.base}.|Es gibt {n.keinen} zum {v.Inf}.|Il n'y a {n.aucun} à {v.inf}.|No hay {n.ningun} que {v.inf}.
There are no {n.pl} in this {m.sg}.|In {m.diesem} gibt es {n.keine}.|Il n'y a pas {n.d_pl} dans {m.ce}.|No hay {n.pl} en {m.este}.
There are {k} {n.pl} in the {m.sg}.|In {m.dem} gibt es {k} {n.pl}.|Il y a {k} {n.pl} dans {m.le}.|Hay {k} {n.pl} en {m.el}.
The {m.sg} contains {k} {n.pl}.|{m.der} enthält {k} {n.pl}.|{m.le} contient {k} {n.pl}.|{m.el} contiene {k} {n.pl}.
The {m.sg} contains no {n.pl}.|{m.der} enthält {n.keine}.|{m.le} ne contient pas {n.d_pl}.|{m.el} no contiene {n.pl}.
The {m.sg} must contain at least one {n.sg}.|{m.der} muss mindestens {n.einen} enthalten.|{m.le} doit contenir au moins {n.un}.|{m.el} debe contener al menos {n.un}.
Too many {n.pl}.|Zu viele {n.pl}.|Trop {n.d_pl}.|{n.demasiados}.
Waiting for the {n.sg} ...|Es wird auf {n.den} gewartet ...|En attente {n.de}...|Esperando {n.el}...
{v.ing} the {n.sg} ...|{n.der} wird {v.pp} ...|Opération en cours : {v.inf} {n.le}...|Operación en curso: {v.inf} {n.el}...
The {n.sg} timed out after {k} seconds.|Zeitüberschreitung bei {n.dem} nach {k} Sekunden.|{n.le} a expiré après {k} secondes.|Se agotó el tiempo de espera de {k} segundos para {n.el}.
Your {n.sg} has expired.|{n.Ihr} ist abgelaufen.|{n.votre} a expiré.|Su {n.sg} ha caducado.
The {n.sg} {x} is ready.|{n.der} {x} ist bereit.|{n.le} {x} est à votre disposition.|{n.el} {x} está disponible.
What does this {n.sg} do?|Was macht {n.dieser}?|Que fait {n.ce} ?|¿Qué hace {n.este}?
How do I {v.base} a {n.sg}?|Wie kann ich {n.einen} {v.inf}?|Comment puis-je {v.inf} {n.un} ?|¿Cómo puedo {v.inf} {n.un}?
Where is the {n.sg} {x}?|Wo ist {n.der} {x}?|Où se trouve {n.le} {x} ?|¿Dónde está {n.el} {x}?
Why is the {n.sg} not {v.pp}?|Warum wird {n.der} nicht {v.pp}?|Pourquoi {n.le} n'est-{n.il} pas {v.pp:n} ?|¿Por qué no se {v.third} {n.el}?
"""

MORE = """
Click the {n.sg} to {w.base} the {m.sg}.|Klicken Sie auf {n.den}, um {m.den} {w.zu}.|Cliquez sur {n.le} pour {w.inf} {m.le}.|Haga clic en {n.el} para {w.inf} {m.el}.|d
Press {x} to {v.base} the {n.sg}.|Drücken Sie {x}, um {n.den} {v.zu}.|Appuyez sur {x} pour {v.inf} {n.le}.|Presione {x} para {v.inf} {n.el}.
Choose a {n.sg} from the list.|Wählen Sie {n.einen} aus der Liste aus.|Choisissez {n.un} dans la liste.|Elija {n.un} de la lista.
The {n.sg} is not responding.|{n.der} antwortet nicht.|{n.le} ne répond pas.|{n.el} no responde.
The {n.sg} is running.|{n.der} wird ausgeführt.|{n.le} est en cours d'exécution.|{n.el} se está ejecutando.
The {n.sg} stopped unexpectedly.|{n.der} wurde unerwartet beendet.|{n.le} s'est arrêté de façon inattendue.|{n.el} se detuvo inesperadamente.
The {n.sg} was closed by the {m.sg}.|{n.der} wurde von {m.dem} geschlossen.|{n.le} a été {n~fermé} par {m.le}.|{m.el} ha cerrado {n.el}.
The {n.sg} was {v.pp} by the user.|{n.der} wurde vom Benutzer {v.pp}.|{n.le} a été {v.pp:n} par l'utilisateur.|El usuario ha {v.pp} {n.el}.
This function {v.third} the {n.sg}.|Diese Funktion {v.third} {n.den}{v.end}.|Cette fonction {v.third} {n.le}.|Esta función {v.third} {n.el}.
This function checks whether the {n.sg} exists.|Diese Funktion überprüft, ob {n.der} vorhanden ist.|Cette fonction vérifie si {n.le} existe.|Esta función comprueba si {n.el} existe.
This method returns the {n.sg} of the {m.sg}.|Diese Methode gibt {n.den} {m.des} zurück.|Cette méthode renvoie {n.le} {m.de}.|Este método devuelve {n.el} {m.de}.
Returns the number of {n.pl} in the {m.sg}.|Gibt die Anzahl {n.der_pl} in {m.dem} zurück.|Renvoie le nombre {n.d_pl} dans {m.le}.|Devuelve el número de {n.pl} en {m.el}.
Returns a list of all {n.pl}.|Gibt eine Liste aller {n.pl_weak} zurück.|Renvoie la liste de {n.tous}.|Devuelve una lista de {n.todos}.
Please {v.base} the {n.sg} before closing the {m.sg}.|Bitte {v.stem} Sie {n.den}{v.end}, bevor Sie {m.den} schließen.|Veuillez {v.inf} {n.le} avant de fermer {m.le}.|{v.usted} {n.el} antes de cerrar {m.el}.
Restart the {n.sg} to apply the changes.|Starten Sie {n.den} neu, um die Änderungen zu übernehmen.|Redémarrez {n.le} pour appliquer les modifications.|Reinicie {n.el} para aplicar los cambios.
The {n.sg} is used to {w.base} the {m.sg}.|{n.der} wird verwendet, um {m.den} {w.zu}.|{n.le} sert à {w.inf} {m.le}.|{n.el} se usa para {w.inf} {m.el}.
The {n.sg} is only available in the {m.sg}.|{n.der} ist nur in {m.dem} verfügbar.|{n.le} est uniquement disponible dans {m.le}.|{n.el} solo está disponible en {m.el}.
The {n.sg} has no {m.sg}.|{n.der} hat {m.keinen}.|{n.le} n'a {m.aucun}.|{n.el} no tiene {m.ningun}.
The {n.sg} has {k} {m.pl}.|{n.der} hat {k} {m.pl}.|{n.le} a {k} {m.pl}.|{n.el} tiene {k} {m.pl}.
The {n.sg} needs a {m.sg}.|{n.der} benötigt {m.einen}.|{n.le} a besoin {m.d_un}.|{n.el} necesita {m.un}.
The {n.sg} was changed on {x}.|{n.der} wurde am {x} geändert.|{n.le} a été {n~modifié} le {x}.|{n.el} se modificó el {x}.
Remove this {n.sg} when the {m.sg} is no longer needed.|{n.diesen} entfernen, wenn {m.der} nicht mehr benötigt wird.|Supprimer {n.ce} lorsque {m.le} n'est plus nécessaire.|Eliminar {n.este} cuando ya no se necesite {m.el}.
This is a {n.sg}.|Das ist {n.ein}.|C'est {n.un}.|Esto es {n.un}.
Here is the {n.sg} {x}.|Hier ist {n.der} {x}.|Voici {n.le} {x}.|Aquí está {n.el} {x}.
I cannot find the {n.sg}.|Ich kann {n.den} nicht finden.|Je ne trouve pas {n.le}.|No encuentro {n.el}.
I have {v.pp} the {n.sg}.|Ich habe {n.den} {v.pp}.|J'ai {v.pp} {n.le}.|He {v.pp} {n.el}.
We should {v.base} the {n.sg}.|Wir sollten {n.den} {v.inf}.|Nous devrions {v.inf} {n.le}.|Deberíamos {v.inf} {n.el}.
Can you {v.base} the {n.sg}?|Kannst du {n.den} {v.inf}?|Peux-tu {v.inf} {n.le} ?|¿Puedes {v.inf} {n.el}?
Could you please {v.base} the {n.sg}?|Könnten Sie bitte {n.den} {v.inf}?|Pourriez-vous {v.inf} {n.le}, s'il vous plaît ?|¿Podría {v.inf} {n.el}, por favor?
Fix the {n.sg} of the {m.sg}|{n.den} {m.des} korrigieren|Corriger {n.le} {m.de}|Corregir {n.el} {m.de}
Add support for {x}|Unterstützung für {x} hinzufügen|Ajouter la prise en charge de {x}|Añadir compatibilidad con {x}
Fixed a bug in the {n.sg}.|Ein Fehler in {n.dem} wurde behoben.|Correction d'un bogue dans {n.le}.|Se ha corregido un error en {n.el}.
There is an error in the {n.sg}.|In {n.dem} gibt es einen Fehler.|Il y a une erreur dans {n.le}.|Hay un error en {n.el}.
Invalid {n.sg}: {x}|{n.ung}: {x}|{n.sg} non valide : {x}|{n.sg} no {n~válido}: {x}
Unknown {n.sg}: {x}|{n.unb}: {x}|{n.sg} {n~inconnu} : {x}|{n.sg} {n~desconocido}: {x}
Missing {n.sg}|{n.fehl}|{n.sg} {n~manquant}|Falta {n.el}
"""

COMMENTS = """
This {n.sg} {v.third} the {m.sg}.|{n.dieser} {v.third} {m.den}{v.end}.|{n.ce} {v.third} {m.le}.|{n.este} {v.third} {m.el}.
{v.third} the {n.sg}.|{v.third} {n.den}{v.end}.|{v.third} {n.le}.|{v.third} {n.el}.
{v.third} the {n.sg} of the {m.sg}.|{v.third} {n.den} {m.des}{v.end}.|{v.third} {n.le} {m.de}.|{v.third} {n.el} {m.de}.
{v.third} all {n.pl} of the {m.sg}.|{v.third} {n.alle} {m.des}{v.end}.|{v.third} {n.tous} {m.de}.|{v.third} {n.todos} {m.de}.
Returns the {n.sg} of the {m.sg}.|Gibt {n.den} {m.des} zurück.|Renvoie {n.le} {m.de}.|Devuelve {n.el} {m.de}.
Returns a new {n.sg}.|Gibt {n.einen_neuen} zurück.|Renvoie {n.un_nouveau}.|Devuelve {n.un_nuevo}.
Returns true if the {n.sg} exists.|Gibt true zurück, wenn {n.der} vorhanden ist.|Renvoie true si {n.le} existe.|Devuelve true si {n.el} existe.
Returns {x} if the {n.sg} is empty.|Gibt {x} zurück, wenn {n.der} leer ist.|Renvoie {x} si {n.le} est vide.|Devuelve {x} si {n.el} no contiene nada.
Check if the {n.sg} exists.|Prüfen, ob {n.der} vorhanden ist.|Vérifier si {n.le} existe.|Comprobar si {n.el} existe.
Check whether the {n.sg} has been {v.pp}.|Prüfen, ob {n.der} {v.pp} wurde.|Vérifier si {n.le} a été {v.pp:n}.|Comprobar si se ha {v.pp} {n.el}.
Make sure that the {n.sg} exists before you {v.base} the {m.sg}.|Stellen Sie sicher, dass {n.der} vorhanden ist, bevor Sie {m.den} {v.inf}.|Assurez-vous que {n.le} existe avant de {v.inf} {m.le}.|Asegúrese de que {n.el} existe antes de {v.inf} {m.el}.
TODO: {v.base} the {n.sg}|TODO: {n.den} {v.inf}|TODO : {v.inf} {n.le}|TODO: {v.inf} {n.el}
TODO: {v.base} this {n.sg} when the {m.sg} is ready|TODO: {n.diesen} {v.inf}, wenn {m.der} fertig ist|TODO : {v.inf} {n.ce} lorsque {m.le} sera disponible|TODO: {v.inf} {n.este} cuando {m.el} esté disponible
Do not {v.base} this {n.sg}.|{n.diesen} nicht {v.inf}.|Ne pas {v.inf} {n.ce}.|No {v.inf} {n.este}.
Do not {v.base} the {n.sg} while the {m.sg} is running.|{n.den} nicht {v.inf}, während {m.der} läuft.|Ne pas {v.inf} {n.le} pendant que {m.le} est en cours d'exécution.|No {v.inf} {n.el} mientras {m.el} esté en ejecución.
We need to {v.base} the {n.sg} first.|Wir müssen zuerst {n.den} {v.inf}.|Nous devons d'abord {v.inf} {n.le}.|Primero tenemos que {v.inf} {n.el}.
We {v.base} the {n.sg} here because the {m.sg} is not available.|Wir {v.stem} hier {n.den}{v.end}, weil {m.der} nicht verfügbar ist.|Ici, il faut {v.inf} {n.le} car {m.le} n'est pas disponible.|Aquí hay que {v.inf} {n.el} porque {m.el} no está disponible.
The {n.sg} is {v.pp} when the {m.sg} is {w.pp}.|{n.der} wird {v.pp}, wenn {m.der} {w.pp} wird.|{n.le} est {v.pp:n} lorsque {m.le} est {w.pp:m}.|{n.el} se {v.third} cuando se {w.third} {m.el}.
The {n.sg} is {v.pp} automatically.|{n.der} wird automatisch {v.pp}.|{n.le} est automatiquement {v.pp:n}.|{n.el} se {v.third} automáticamente.
The {n.sg} is only {v.pp} once.|{n.der} wird nur einmal {v.pp}.|{n.le} n'est {v.pp:n} qu'une seule fois.|{n.el} solo se {v.third} una vez.
If {x} is set, the {n.sg} is {v.pp}.|Wenn {x} gesetzt ist, wird {n.der} {v.pp}.|Si {x} est défini, {n.le} est {v.pp:n}.|Si {x} está definido, se {v.third} {n.el}.
If {x} is {y}, the {n.sg} is not {v.pp}.|Wenn {x} gleich {y} ist, wird {n.der} nicht {v.pp}.|Si {x} vaut {y}, {n.le} n'est pas {v.pp:n}.|Si {x} es {y}, no se {v.third} {n.el}.
Use {x} to {v.base} the {n.sg}.|Verwenden Sie {x}, um {n.den} {v.zu}.|Utilisez {x} pour {v.inf} {n.le}.|Use {x} para {v.inf} {n.el}.
Use this {n.sg} to {v.base} the {m.sg}.|Verwenden Sie {n.diesen}, um {m.den} {v.zu}.|Utilisez {n.ce} pour {v.inf} {m.le}.|Use {n.este} para {v.inf} {m.el}.
To {v.base} a {n.sg}, run {x}.|Um {n.einen} {v.zu}, führen Sie {x} aus.|Pour {v.inf} {n.un}, exécutez {x}.|Para {v.inf} {n.un}, ejecute {x}.
For more information, see {x}.|Weitere Informationen finden Sie unter {x}.|Pour plus d'informations, consultez {x}.|Para obtener más información, consulte {x}.
The default {n.sg} is {x}.|{n.std} ist {x}.|{n.le} par défaut est {x}.|{n.el} por defecto es {x}.
The {n.sg} must be a {m.sg}.|{n.der} muss {m.ein} sein.|{n.le} doit être {m.un}.|{n.el} debe ser {m.un}.
The {n.sg} {x} is deprecated, use {y} instead.|{n.der} {x} ist veraltet, verwenden Sie stattdessen {y}.|{n.le} {x} est obsolète, utilisez {y} à la place.|{n.el} {x} está en desuso, use {y} en su lugar.
This {n.sg} was added in version {k}.|{n.dieser} wurde in Version {k} hinzugefügt.|{n.ce} a été {n~ajouté} dans la version {k}.|{n.este} se añadió en la versión {k}.
Each {n.sg} has its own {m.sg}.|{n.jeder} hat {m.einen_eigenen}.|{n.chaque} possède {m.son} propre {m.sg}.|{n.cada} tiene su {m~propio} {m.sg}.
The {n.sg} can also be {v.pp} with {x}.|{n.der} kann auch mit {x} {v.pp} werden.|{n.le} peut aussi être {v.pp:n} avec {x}.|{n.el} también se puede {v.inf} con {x}.
By default, all {n.pl} are {v.pp}.|Standardmäßig werden {n.alle} {v.pp}.|Par défaut, {n.tous} sont {v.pp:n*}.|De forma predeterminada, se {v.third_pl} {n.todos}.
The first argument is the {n.sg} of the {m.sg}.|Das erste Argument ist {n.der} {m.des}.|Le premier argument est {n.le} {m.de}.|El primer argumento es {n.el} {m.de}.
A {n.sg} is a {m.sg} that can be {v.pp}.|{n.ein} ist {m.ein}, {m.relnom} {v.pp} werden kann.|{n.un} est {m.un} qui peut être {v.pp:m}.|{n.un} es {m.un} que se puede {v.inf}.
This example shows how to {v.base} a {n.sg}.|Dieses Beispiel zeigt, wie man {n.einen} {v.third_sub}.|Cet exemple montre comment {v.inf} {n.un}.|Este ejemplo muestra cómo {v.inf} {n.un}.
In the next step, {v.base} the {n.sg}.|{v.stem} Sie im nächsten Schritt {n.den}{v.end}.|À l'étape suivante, {v.vous} {n.le}.|En el siguiente paso, {v.usted} {n.el}.
After you have {v.pp} the {n.sg}, {w.base} the {m.sg}.|Nachdem Sie {n.den} {v.pp} haben, {w.stem} Sie {m.den}{w.end}.|Après avoir {v.pp} {n.le}, {w.vous} {m.le}.|Después de {v.inf} {n.el}, {w.usted} {m.el}.
The {n.sg} is stored in the {m.sg}.|{n.der} wird in {m.dem} gespeichert.|{n.le} est {n~stocké} dans {m.le}.|{n.el} se guarda en {m.el}.
"""

LABELS = """
{v.base} {n.sg}|{n.label} {v.inf}|{v.inf} {n.le}|{v.inf} {n.sg}
{v.base} {n.pl}|{n.pl} {v.inf}|{v.inf} {n.les}|{v.inf} {n.pl}
{v.base} the {n.sg}|{n.den} {v.inf}|{v.inf} {n.le}|{v.inf} {n.el}
{v.base} this {n.sg}|{n.diesen} {v.inf}|{v.inf} {n.ce}|{v.inf} {n.este}
{v.base} a {n.sg}|{n.einen} {v.inf}|{v.inf} {n.un}|{v.inf} {n.un}
{v.base} all {n.pl}|{n.alle} {v.inf}|{v.inf} {n.tous}|{v.inf} {n.todos}
{v.base} {x}|{x} {v.inf}|{v.inf} {x}|{v.inf} {x}
{v.base} {n.sg} ...|{n.label} {v.inf} ...|{v.inf} {n.le}...|{v.inf} {n.sg}...
{v.base} and {w.base} the {n.sg}|{n.den} {v.inf} und {w.inf}|{v.inf} et {w.inf} {n.le}|{v.inf} y {w.inf} {n.el}
{v.base} {n.sg} in new {m.sg}|{n.label} in {m.einem_neuen} {v.inf}|{v.inf} {n.le} dans {m.un_nouveau}|{v.inf} {n.sg} en {m.un_nuevo}
{n.sg} of the {m.sg}|{n.title} {m.des}|{n.sg} {m.de}|{n.sg} {m.de}
{n.sg}|{n.title}|{n.sg}|{n.sg}
{n.pl}|{n.pl}|{n.pl}|{n.pl}
{n.sg}: {x}|{n.title}: {x}|{n.sg} : {x}|{n.sg}: {x}
Number of {n.pl}|Anzahl {n.der_pl}|Nombre {n.d_pl}|Número de {n.pl}
"""
