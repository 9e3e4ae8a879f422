"""Words of tools, files, code and networks in four languages, by hand: nouns with gender and plural, verbs with the
forms the sentence patterns need, adjectives. The classes say which verbs and adjectives go with which nouns:
f files, s settings and values, p programs, d display and messages, c code, n network and accounts."""

# English sg pl | German gender sg pl | French gender sg pl | Spanish gender sg pl | class
NOUNS = """
file files|f Datei Dateien|m fichier fichiers|m archivo archivos|f
folder folders|m Ordner Ordner|m dossier dossiers|f carpeta carpetas|f
directory directories|n Verzeichnis Verzeichnisse|m répertoire répertoires|m directorio directorios|f
document documents|n Dokument Dokumente|m document documents|m documento documentos|f
image images|n Bild Bilder|f image images|f imagen imágenes|f
log file log files|f Protokolldatei Protokolldateien|m fichier_journal fichiers_journaux|m archivo_de_registro archivos_de_registro|f
archive archives|n Archiv Archive|f archive archives|m archivo_comprimido archivos_comprimidos|f
backup backups|f Sicherung Sicherungen|f sauvegarde sauvegardes|f copia_de_seguridad copias_de_seguridad|f
project projects|n Projekt Projekte|m projet projets|m proyecto proyectos|f
database databases|f Datenbank Datenbanken|f base_de_données bases_de_données|f base_de_datos bases_de_datos|f
configuration file configuration files|f Konfigurationsdatei Konfigurationsdateien|m fichier_de_configuration fichiers_de_configuration|m archivo_de_configuración archivos_de_configuración|f
template templates|f Vorlage Vorlagen|m modèle modèles|f plantilla plantillas|f
branch branches|m Branch Branches|f branche branches|f rama ramas|f
repository repositories|n Repository Repositorys|m dépôt dépôts|m repositorio repositorios|f
setting settings|f Einstellung Einstellungen|m paramètre paramètres|m ajuste ajustes|s
option options|f Option Optionen|f option options|f opción opciones|s
value values|m Wert Werte|f valeur valeurs|m valor valores|s
password passwords|n Kennwort Kennwörter|m mot_de_passe mots_de_passe|f contraseña contraseñas|s
key keys|m Schlüssel Schlüssel|f clé clés|f clave claves|s
name names|m Name Namen|m nom noms|m nombre nombres|s
path paths|m Pfad Pfade|m chemin chemins|f ruta rutas|s
file name file names|m Dateiname Dateinamen|m nom_de_fichier noms_de_fichier|m nombre_de_archivo nombres_de_archivo|s
version versions|f Version Versionen|f version versions|f versión versiones|s
language languages|f Sprache Sprachen|f langue langues|m idioma idiomas|s
number numbers|f Zahl Zahlen|m nombre nombres|m número números|s
date dates|n Datum Daten|f date dates|f fecha fechas|s
color colors|f Farbe Farben|f couleur couleurs|m color colores|s
format formats|n Format Formate|m format formats|m formato formatos|s
program programs|n Programm Programme|m programme programmes|m programa programas|p
process processes|m Prozess Prozesse|m processus processus|m proceso procesos|p
server servers|m Server Server|m serveur serveurs|m servidor servidores|p
service services|m Dienst Dienste|m service services|m servicio servicios|p
application applications|f Anwendung Anwendungen|f application applications|f aplicación aplicaciones|p
extension extensions|f Erweiterung Erweiterungen|f extension extensions|f extensión extensiones|p
command commands|m Befehl Befehle|f commande commandes|m comando comandos|p
task tasks|f Aufgabe Aufgaben|f tâche tâches|f tarea tareas|p
test tests|m Test Tests|m test tests|f prueba pruebas|p
script scripts|n Skript Skripte|m script scripts|m script scripts|p
model models|n Modell Modelle|m modèle modèles|m modelo modelos|p
editor editors|m Editor Editoren|m éditeur éditeurs|m editor editores|p
update updates|n Update Updates|f mise_à_jour mises_à_jour|f actualización actualizaciones|p
tool tools|n Werkzeug Werkzeuge|m outil outils|f herramienta herramientas|p
window windows|n Fenster Fenster|f fenêtre fenêtres|f ventana ventanas|d
tab tabs|f Registerkarte Registerkarten|m onglet onglets|f pestaña pestañas|d
page pages|f Seite Seiten|f page pages|f página páginas|d
list lists|f Liste Listen|f liste listes|f lista listas|d
table tables|f Tabelle Tabellen|f table tables|f tabla tablas|d
column columns|f Spalte Spalten|f colonne colonnes|f columna columnas|d
line lines|f Zeile Zeilen|f ligne lignes|f línea líneas|d
menu menus|n Menü Menüs|m menu menus|m menú menús|d
button buttons|f Schaltfläche Schaltflächen|m bouton boutons|m botón botones|d
message messages|f Nachricht Nachrichten|m message messages|m mensaje mensajes|d
error message error messages|f Fehlermeldung Fehlermeldungen|m message_d’erreur messages_d’erreur|m mensaje_de_error mensajes_de_error|d
warning warnings|f Warnung Warnungen|m avertissement avertissements|f advertencia advertencias|d
text texts|m Text Texte|m texte textes|m texto textos|d
selection selections|f Auswahl Auswahlen|f sélection sélections|f selección selecciones|d
comment comments|m Kommentar Kommentare|m commentaire commentaires|m comentario comentarios|d
result results|n Ergebnis Ergebnisse|m résultat résultats|m resultado resultados|d
entry entries|m Eintrag Einträge|f entrée entrées|f entrada entradas|d
field fields|n Feld Felder|m champ champs|m campo campos|d
translation translations|f Übersetzung Übersetzungen|f traduction traductions|f traducción traducciones|d
function functions|f Funktion Funktionen|f fonction fonctions|f función funciones|c
class classes|f Klasse Klassen|f classe classes|f clase clases|c
method methods|f Methode Methoden|f méthode méthodes|m método métodos|c
variable variables|f Variable Variablen|f variable variables|f variable variables|c
module modules|n Modul Module|m module modules|m módulo módulos|c
package packages|n Paket Pakete|m paquet paquets|m paquete paquetes|c
type types|m Typ Typen|m type types|m tipo tipos|c
object objects|n Objekt Objekte|m objet objets|m objeto objetos|c
argument arguments|n Argument Argumente|m argument arguments|m argumento argumentos|c
parameter parameters|m Parameter Parameter|m paramètre paramètres|m parámetro parámetros|c
property properties|f Eigenschaft Eigenschaften|f propriété propriétés|f propiedad propiedades|c
string strings|f Zeichenkette Zeichenketten|f chaîne_de_caractères chaînes_de_caractères|f cadena cadenas|c
array arrays|n Array Arrays|m tableau tableaux|m array arrays|c
interface interfaces|f Schnittstelle Schnittstellen|f interface interfaces|f interfaz interfaces|c
library libraries|f Bibliothek Bibliotheken|f bibliothèque bibliothèques|f biblioteca bibliotecas|c
expression expressions|m Ausdruck Ausdrücke|f expression expressions|f expresión expresiones|c
loop loops|f Schleife Schleifen|f boucle boucles|m bucle bucles|c
element elements|n Element Elemente|m élément éléments|m elemento elementos|c
connection connections|f Verbindung Verbindungen|f connexion connexions|f conexión conexiones|n
request requests|f Anforderung Anforderungen|f requête requêtes|f solicitud solicitudes|n
response responses|f Antwort Antworten|f réponse réponses|f respuesta respuestas|n
session sessions|f Sitzung Sitzungen|f session sessions|f sesión sesiones|n
account accounts|n Konto Konten|m compte comptes|f cuenta cuentas|n
user users|m Benutzer Benutzer|m utilisateur utilisateurs|m usuario usuarios|n
address addresses|f Adresse Adressen|f adresse adresses|f dirección direcciones|n
device devices|n Gerät Geräte|m appareil appareils|m dispositivo dispositivos|n
network networks|n Netzwerk Netzwerke|m réseau réseaux|f red redes|n
certificate certificates|n Zertifikat Zertifikate|m certificat certificats|m certificado certificados|n
token tokens|n Token Token|m jeton jetons|m token tokens|n
"""

# English base past-participle | German infinitive third participle | French infinitive third participle vous | Spanish infinitive third participle usted | classes
VERBS = """
open opened|öffnen öffnet geöffnet|ouvrir ouvre ouvert ouvrez|abrir abre abierto abra|fpdn
close closed|schließen schließt geschlossen|fermer ferme fermé fermez|cerrar cierra cerrado cierre|fpdn
save saved|speichern speichert gespeichert|enregistrer enregistre enregistré enregistrez|guardar guarda guardado guarde|fsd
delete deleted|löschen löscht gelöscht|supprimer supprime supprimé supprimez|eliminar elimina eliminado elimine|fspdcn
create created creating|erstellen erstellt erstellt|créer crée créé créez|crear crea creado cree|fspdcn
copy copied|kopieren kopiert kopiert|copier copie copié copiez|copiar copia copiado copie|fsd
move moved|verschieben verschiebt verschoben|déplacer déplace déplacé déplacez|mover mueve movido mueva|fd
rename renamed|um+benennen benennt umbenannt|renommer renomme renommé renommez|renombrar renombra renombrado renombre|fcdn
find found|finden findet gefunden|trouver trouve trouvé trouvez|encontrar encuentra encontrado encuentre|fspdcn
read read|lesen liest gelesen|lire lit lu lisez|leer lee leído lea|fsdn
write written writing|schreiben schreibt geschrieben|écrire écrit écrit écrivez|escribir escribe escrito escriba|fdc
load loaded|laden lädt geladen|charger charge chargé chargez|cargar carga cargado cargue|fpdc
download downloaded|herunter+laden lädt heruntergeladen|télécharger télécharge téléchargé téléchargez|descargar descarga descargado descargue|fpc
start started|starten startet gestartet|démarrer démarre démarré démarrez|iniciar inicia iniciado inicie|pn
stop stopped stopping|beenden beendet beendet|arrêter arrête arrêté arrêtez|detener detiene detenido detenga|p
run run running|aus+führen führt ausgeführt|exécuter exécute exécuté exécutez|ejecutar ejecuta ejecutado ejecute|p
install installed|installieren installiert installiert|installer installe installé installez|instalar instala instalado instale|pc
remove removed|entfernen entfernt entfernt|retirer retire retiré retirez|quitar quita quitado quite|fspdcn
add added|hinzu+fügen fügt hinzugefügt|ajouter ajoute ajouté ajoutez|añadir añade añadido añada|fspdcn
change changed|ändern ändert geändert|modifier modifie modifié modifiez|cambiar cambia cambiado cambie|fsdcn
check checked|überprüfen überprüft überprüft|vérifier vérifie vérifié vérifiez|comprobar comprueba comprobado compruebe|fspdcn
select selected|aus+wählen wählt ausgewählt|sélectionner sélectionne sélectionné sélectionnez|seleccionar selecciona seleccionado seleccione|fspdcn
show shown|an+zeigen zeigt angezeigt|afficher affiche affiché affichez|mostrar muestra mostrado muestre|fspdcn
hide hidden hiding|aus+blenden blendet ausgeblendet|masquer masque masqué masquez|ocultar oculta ocultado oculte|d
update updated|aktualisieren aktualisiert aktualisiert|mettre_à_jour met_à_jour mis_à_jour mettez_à_jour|actualizar actualiza actualizado actualice|fspdcn
enable enabled|aktivieren aktiviert aktiviert|activer active activé activez|activar activa activado active|sp
disable disabled|deaktivieren deaktiviert deaktiviert|désactiver désactive désactivé désactivez|desactivar desactiva desactivado desactive|sp
import imported|importieren importiert importiert|importer importe importé importez|importar importa importado importe|fcn
export exported|exportieren exportiert exportiert|exporter exporte exporté exportez|exportar exporta exportado exporte|fcdn
print printed|drucken druckt gedruckt|imprimer imprime imprimé imprimez|imprimir imprime impreso imprima|fd
send sent|senden sendet gesendet|envoyer envoie envoyé envoyez|enviar envía enviado envíe|fdn
receive received|empfangen empfängt empfangen|recevoir reçoit reçu recevez|recibir recibe recibido reciba|dn
test tested|testen testet getestet|tester teste testé testez|probar prueba probado pruebe|pcn
translate translated|übersetzen übersetzt übersetzt|traduire traduit traduit traduisez|traducir traduce traducido traduzca|fd
use used|verwenden verwendet verwendet|utiliser utilise utilisé utilisez|usar usa usado use|fspdcn
define defined|definieren definiert definiert|définir définit défini définissez|definir define definido defina|sc
call called|auf+rufen ruft aufgerufen|appeler appelle appelé appelez|llamar llama llamado llame|c
return returned|zurück+geben gibt zurückgegeben|renvoyer renvoie renvoyé renvoyez|devolver devuelve devuelto devuelva|sc
replace replaced|ersetzen ersetzt ersetzt|remplacer remplace remplacé remplacez|reemplazar reemplaza reemplazado reemplace|fsdcn
compare compared|vergleichen vergleicht verglichen|comparer compare comparé comparez|comparar compara comparado compare|fsdc
restore restored|wieder+herstellen stellt wiederhergestellt|restaurer restaure restauré restaurez|restaurar restaura restaurado restaure|fsdn
reset reset resetting|zurück+setzen setzt zurückgesetzt|réinitialiser réinitialise réinitialisé réinitialisez|restablecer restablece restablecido restablezca|spn
search searched|durchsuchen durchsucht durchsucht|parcourir parcourt parcouru parcourez|examinar examina examinado examine|f
convert converted|konvertieren konvertiert konvertiert|convertir convertit converti convertissez|convertir convierte convertido convierta|fsd
verify verified|verifizieren verifiziert verifiziert|contrôler contrôle contrôlé contrôlez|verificar verifica verificado verifique|fsn
ignore ignored|ignorieren ignoriert ignoriert|ignorer ignore ignoré ignorez|ignorar ignora ignorado ignore|fsdcn
reload reloaded|neu_+laden lädt neu_geladen|recharger recharge rechargé rechargez|recargar recarga recargado recargue|fpd
compress compressed|komprimieren komprimiert komprimiert|compresser compresse compressé compressez|comprimir comprime comprimido comprima|f
upload uploaded|hoch+laden lädt hochgeladen|téléverser téléverse téléversé téléversez|subir sube subido suba|f
register registered|registrieren registriert registriert|inscrire inscrit inscrit inscrivez|registrar registra registrado registre|pn
"""

# English | German stem | French m f mpl fpl | Spanish m f mpl fpl | classes
ADJECTIVES = """
new|neu|+nouveau nouvelle nouveaux nouvelles nouvel|nuevo nueva nuevos nuevas|fspdcn
current|aktuell|actuel actuelle actuels actuelles|actual actual actuales actuales|fspdcn
selected|ausgewählt|sélectionné sélectionnée sélectionnés sélectionnées|seleccionado seleccionada seleccionados seleccionadas|fspdcn
first|erst|+premier première premiers premières premier|+primer primera primeros primeras|fspdcn
last|letzt|+dernier dernière derniers dernières dernier|+último última últimos últimas|fspdcn
next|nächst|suivant suivante suivants suivantes|siguiente siguiente siguientes siguientes|fspdcn
previous|vorherig|précédent précédente précédents précédentes|anterior anterior anteriores anteriores|fspdcn
empty|leer|vide vide vides vides|vacío vacía vacíos vacías|fdc
hidden|versteckt|caché cachée cachés cachées|oculto oculta ocultos ocultas|fd
invalid|ungültig|non_valide non_valide non_valides non_valides|no_válido no_válida no_válidos no_válidas|fspcn
valid|gültig|valide valide valides valides|válido válida válidos válidas|fspcn
large|groß|+grand grande grands grandes grand|grande grande grandes grandes|fdc
small|klein|+petit petite petits petites petit|pequeño pequeña pequeños pequeñas|fdc
old|alt|+ancien ancienne anciens anciennes ancien|antiguo antigua antiguos antiguas|fspdcn
temporary|temporär|temporaire temporaire temporaires temporaires|temporal temporal temporales temporales|fscn
unknown|unbekannt|inconnu inconnue inconnus inconnues|desconocido desconocida desconocidos desconocidas|fspcn
local|lokal|local locale locaux locales|local local locales locales|fpcn
public|öffentlich|public publique publics publiques|público pública públicos públicas|fcn
optional|optional|facultatif facultative facultatifs facultatives|opcional opcional opcionales opcionales|sc
required|erforderlich|requis requise requis requises|necesario necesaria necesarios necesarias|spc
missing|fehlend|manquant manquante manquants manquantes|que_falta que_falta que_faltan que_faltan|fsc
active|aktiv|actif active actifs actives|activo activa activos activas|pdn
external|extern|externe externe externes externes|externo externa externos externas|pcn
"""
