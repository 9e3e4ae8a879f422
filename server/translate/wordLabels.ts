/** Labels that name or describe something, up to L: English, German, French, Spanish. */

export const wordLabels = `
Accessed|Letzter Zugriff|Dernier accès|Último acceso
Accessibility|Barrierefreiheit|Accessibilité|Accesibilidad
Accounts|Konten|Comptes|Cuentas
Add bookmark|Lesezeichen hinzufügen|Ajouter un signet|Añadir marcador
Added|Hinzugefügt|Ajouté|Añadido
Administration|Verwaltung|Administration|Administración
Album|Album|Album|Álbum
Albums|Alben|Albums|Álbumes
Alert|Warnung|Alerte|Alerta
Alerts|Warnungen|Alertes|Alertas
All files|Alle Dateien|Tous les fichiers|Todos los archivos
Appearance settings|Darstellungseinstellungen|Paramètres d'apparence|Configuración de apariencia
Apps|Apps|Applications|Aplicaciones
Are you sure?|Sind Sie sicher?|Êtes-vous sûr ?|¿Está seguro?
Arguments|Argumente|Arguments|Argumentos
Article|Artikel|Article|Artículo
Articles|Artikel|Articles|Artículos
Artist|Interpret|Artiste|Artista
Attachment|Anhang|Pièce jointe|Adjunto
Authorization|Autorisierung|Autorisation|Autorización
Auto|Automatisch|Automatique|Automático
Average|Durchschnitt|Moyenne|Promedio
Backup|Sicherung|Sauvegarde|Copia de seguridad
Balance|Guthaben|Solde|Saldo
Basic|Einfach|De base|Básico
Behavior|Verhalten|Comportement|Comportamiento
Best fit|Optimale Größe|Ajuster à la page|Ajuste óptimo
Beta|Beta|Bêta|Beta
Billing|Abrechnung|Facturation|Facturación
Billing address|Rechnungsadresse|Adresse de facturation|Dirección de facturación
Blog|Blog|Blog|Blog
Body|Inhalt|Corps|Cuerpo
Branch|Branch|Branche|Rama
Breakpoint|Haltepunkt|Point d'arrêt|Punto de interrupción
Breakpoints|Haltepunkte|Points d'arrêt|Puntos de interrupción
Browser|Browser|Navigateur|Navegador
Bug|Fehler|Bug|Error
Built-in|Integriert|Intégré|Integrado
Button|Schaltfläche|Bouton|Botón
Cache|Cache|Cache|Caché
Camera|Kamera|Appareil photo|Cámara
Card number|Kartennummer|Numéro de carte|Número de tarjeta
Case sensitive|Groß-/Kleinschreibung beachten|Respecter la casse|Distinguir mayúsculas y minúsculas
Channel|Kanal|Canal|Canal
Channels|Kanäle|Canaux|Canales
Characters|Zeichen|Caractères|Caracteres
Chart|Diagramm|Graphique|Gráfico
Chat|Chat|Discussion|Chat
Checked|Geprüft|Coché|Marcado
Child|Kind|Enfant|Hijo
Clipboard|Zwischenablage|Presse-papiers|Portapapeles
Collection|Sammlung|Collection|Colección
Collections|Sammlungen|Collections|Colecciones
Commands|Befehle|Commandes|Comandos
Community|Community|Communauté|Comunidad
Complete|Vollständig|Terminé|Completo
Computer|Computer|Ordinateur|Equipo
Confirmation|Bestätigung|Confirmation|Confirmación
Connecting|Verbindung wird hergestellt|Connexion en cours|Conectando
Connections|Verbindungen|Connexions|Conexiones
Console|Konsole|Console|Consola
Control panel|Systemsteuerung|Panneau de configuration|Panel de control
Cookies|Cookies|Cookies|Cookies
Copyright|Copyright|Copyright|Derechos de autor
Cost|Kosten|Coût|Coste
Count|Anzahl|Nombre|Cantidad
Coupon|Gutschein|Bon de réduction|Cupón
Creator|Ersteller|Créateur|Creador
Credit card|Kreditkarte|Carte de crédit|Tarjeta de crédito
Credits|Mitwirkende|Crédits|Créditos
Current|Aktuell|Actuel|Actual
Cyan|Cyan|Cyan|Cian
Daily|Täglich|Quotidien|Diario
Data usage|Datennutzung|Utilisation des données|Uso de datos
Date and time|Datum und Uhrzeit|Date et heure|Fecha y hora
Date created|Erstellungsdatum|Date de création|Fecha de creación
Date modified|Änderungsdatum|Date de modification|Fecha de modificación
Date of birth|Geburtsdatum|Date de naissance|Fecha de nacimiento
Deadline|Frist|Échéance|Fecha límite
Debug|Debuggen|Déboguer|Depurar
Debug console|Debugging-Konsole|Console de débogage|Consola de depuración
Default application|Standardanwendung|Application par défaut|Aplicación predeterminada
Default value|Standardwert|Valeur par défaut|Valor predeterminado
Delivery|Lieferung|Livraison|Entrega
Department|Abteilung|Département|Departamento
Dependencies|Abhängigkeiten|Dépendances|Dependencias
Deployment|Bereitstellung|Déploiement|Despliegue
Destination|Ziel|Destination|Destino
Detail|Detail|Détail|Detalle
Developer|Entwickler|Développeur|Desarrollador
Dimensions|Abmessungen|Dimensions|Dimensiones
Directory|Verzeichnis|Répertoire|Directorio
Discount|Rabatt|Remise|Descuento
Discussion|Diskussion|Discussion|Conversación
Disk|Festplatte|Disque|Disco
Distance|Entfernung|Distance|Distancia
Down|Nach unten|Bas|Abajo
Downloading|Wird heruntergeladen|Téléchargement|Descargando
Drafts|Entwürfe|Brouillons|Borradores
Due date|Fälligkeitsdatum|Date d'échéance|Fecha de vencimiento
E-mail|E-Mail|E-mail|Correo electrónico
Elements|Elemente|Éléments|Elementos
Emails|E-Mails|E-mails|Correos electrónicos
End|Ende|Fin|Fin
English|Englisch|Anglais|Inglés
Environment|Umgebung|Environnement|Entorno
Error message|Fehlermeldung|Message d'erreur|Mensaje de error
Event|Ereignis|Événement|Evento
Example|Beispiel|Exemple|Ejemplo
Examples|Beispiele|Exemples|Ejemplos
Experimental|Experimentell|Expérimental|Experimental
Expiration date|Ablaufdatum|Date d'expiration|Fecha de caducidad
Expires|Läuft ab|Expire|Caduca
Extension|Erweiterung|Extension|Extensión
False|Falsch|Faux|Falso
FAQ|Häufige Fragen|FAQ|Preguntas frecuentes
Favorite|Favorit|Favori|Favorito
Featured|Empfohlen|À la une|Destacado
Field|Feld|Champ|Campo
Fields|Felder|Champs|Campos
File manager|Dateiverwaltung|Gestionnaire de fichiers|Gestor de archivos
File not found|Datei nicht gefunden|Fichier introuvable|Archivo no encontrado
File size|Dateigröße|Taille du fichier|Tamaño del archivo
File system|Dateisystem|Système de fichiers|Sistema de archivos
File type|Dateityp|Type de fichier|Tipo de archivo
Filename|Dateiname|Nom de fichier|Nombre de archivo
Finishing|Wird abgeschlossen|Finalisation|Finalizando
First|Erste|Premier|Primero
Folder name|Ordnername|Nom du dossier|Nombre de la carpeta
Followers|Follower|Abonnés|Seguidores
Fonts|Schriftarten|Polices|Fuentes
Footer|Fußzeile|Pied de page|Pie de página
Form|Formular|Formulaire|Formulario
Friday|Freitag|Vendredi|Viernes
Friends|Freunde|Amis|Amigos
From|Von|De|De
Function|Funktion|Fonction|Función
Gallery|Galerie|Galerie|Galería
Game|Spiel|Jeu|Juego
Games|Spiele|Jeux|Juegos
Gender|Geschlecht|Sexe|Género
Go to definition|Gehe zu Definition|Atteindre la définition|Ir a la definición
Grid|Raster|Grille|Cuadrícula
Guide|Anleitung|Guide|Guía
Hardware|Hardware|Matériel|Hardware
Header|Kopfzeile|En-tête|Encabezado
Help center|Hilfebereich|Centre d'aide|Centro de ayuda
Home page|Startseite|Page d'accueil|Página de inicio
Homepage|Startseite|Page d'accueil|Página de inicio
Hour|Stunde|Heure|Hora
Hours|Stunden|Heures|Horas
How it works|So funktioniert es|Comment ça marche|Cómo funciona
Icon size|Symbolgröße|Taille des icônes|Tamaño de los iconos
Identifier|Kennung|Identifiant|Identificador
In progress|In Bearbeitung|En cours|En curso
Info|Info|Infos|Información
Input|Eingabe|Entrée|Entrada
Installing|Wird installiert|Installation en cours|Instalando
Instructions|Anweisungen|Instructions|Instrucciones
Interface|Oberfläche|Interface|Interfaz
Internal error|Interner Fehler|Erreur interne|Error interno
Introduction|Einführung|Introduction|Introducción
Invalid|Ungültig|Non valide|No válido
Invalid email address|Ungültige E-Mail-Adresse|Adresse e-mail non valide|Dirección de correo electrónico no válida
Invalid password|Ungültiges Passwort|Mot de passe incorrect|Contraseña no válida
Invitation|Einladung|Invitation|Invitación
Invoices|Rechnungen|Factures|Facturas
Issue|Problem|Problème|Incidencia
Issues|Probleme|Problèmes|Incidencias
Item|Eintrag|Élément|Elemento
Items|Einträge|Éléments|Elementos
Job|Auftrag|Tâche|Trabajo
Jobs|Stellenangebote|Emplois|Empleos
Key|Schlüssel|Clé|Clave
Keys|Schlüssel|Clés|Claves
Keyword|Stichwort|Mot-clé|Palabra clave
Keywords|Stichwörter|Mots-clés|Palabras clave
Labels|Bezeichnungen|Libellés|Etiquetas
Large|Groß|Grand|Grande
Last|Letzte|Dernier|Último
Last modified|Zuletzt geändert|Dernière modification|Última modificación
Last updated|Zuletzt aktualisiert|Dernière mise à jour|Última actualización
Latest|Neueste|Dernier|Último
Legal|Rechtliches|Mentions légales|Aviso legal
Length|Länge|Longueur|Longitud
Level|Stufe|Niveau|Nivel
Libraries|Bibliotheken|Bibliothèques|Bibliotecas
Library|Bibliothek|Bibliothèque|Biblioteca
Limit|Grenze|Limite|Límite
Line|Zeile|Ligne|Línea
Lines|Zeilen|Lignes|Líneas
List view|Listenansicht|Vue en liste|Vista de lista
Loading failed|Laden fehlgeschlagen|Échec du chargement|Error al cargar
Local|Lokal|Local|Local
Log|Protokoll|Journal|Registro
Logs|Protokolle|Journaux|Registros
`;
