/** Labels of pages, windows, devices and settings: English, German, French, Spanish. The commands are in uiLabels.ts. */

export const settingLabels = `
Access|Zugriff|Accès|Acceso
Action|Aktion|Action|Acción
Activate|Aktivieren|Activer|Activar
After|Nach|Après|Después
Alignment|Ausrichtung|Alignement|Alineación
All pages|Alle Seiten|Toutes les pages|Todas las páginas
Angle|Winkel|Angle|Ángulo
Animation|Animation|Animation|Animación
Anonymous|Anonym|Anonyme|Anónimo
Applications|Anwendungen|Applications|Aplicaciones
Ascending|Aufsteigend|Croissant|Ascendente
Attribute|Attribut|Attribut|Atributo
Attributes|Attribute|Attributs|Atributos
Audio|Audio|Audio|Audio
Authentication|Authentifizierung|Authentification|Autenticación
Authors|Autoren|Auteurs|Autores
Background|Hintergrund|Arrière-plan|Fondo
Background color|Hintergrundfarbe|Couleur d'arrière-plan|Color de fondo
Before|Vor|Avant|Antes
Black|Schwarz|Noir|Negro
Blocked|Blockiert|Bloqué|Bloqueado
Blue|Blau|Bleu|Azul
Bold|Fett|Gras|Negrita
Bottom|Unten|Bas|Abajo
Brightness|Helligkeit|Luminosité|Brillo
Center|Mitte|Centre|Centro
Color|Farbe|Couleur|Color
Color scheme|Farbschema|Jeu de couleurs|Esquema de color
Colors|Farben|Couleurs|Colores
Column|Spalte|Colonne|Columna
Columns|Spalten|Colonnes|Columnas
Command|Befehl|Commande|Comando
Compression|Komprimierung|Compression|Compresión
Contrast|Kontrast|Contraste|Contraste
Copies|Kopien|Copies|Copias
Create folder|Ordner anlegen|Créer un dossier|Crear carpeta
Current page|Aktuelle Seite|Page actuelle|Página actual
Cursor|Cursor|Curseur|Cursor
Descending|Absteigend|Décroissant|Descendente
Desktop|Schreibtisch|Bureau|Escritorio
Dialog|Dialog|Dialogue|Diálogo
Domain|Domäne|Domaine|Dominio
Editable|Bearbeitbar|Modifiable|Editable
Eject|Auswerfen|Éjecter|Expulsar
Encoding|Kodierung|Codage|Codificación
Fill|Füllen|Remplir|Rellenar
Finished|Fertig|Terminé|Terminado
Flags|Optionen|Drapeaux|Opciones
Font|Schriftart|Police|Fuente
Forward|Vorwärts|Suivant|Adelante
Good|Gut|Bon|Bueno
Green|Grün|Vert|Verde
Height|Höhe|Hauteur|Altura
High|Hoch|Élevé|Alto
Horizontal|Horizontal|Horizontal|Horizontal
Icon|Symbol|Icône|Icono
Icons|Symbole|Icônes|Iconos
ID|ID|ID|ID
Index|Index|Index|Índice
Italic|Kursiv|Italique|Cursiva
Keyboard|Tastatur|Clavier|Teclado
Landscape|Querformat|Paysage|Apaisado
Left|Links|Gauche|Izquierda
Left to right|Von links nach rechts|De gauche à droite|De izquierda a derecha
Low|Niedrig|Faible|Bajo
Margin|Rand|Marge|Margen
Margins|Ränder|Marges|Márgenes
Maximum length|Maximale Länge|Longueur maximale|Longitud máxima
Medium|Mittel|Moyen|Medio
Memory|Speicher|Mémoire|Memoria
Miscellaneous|Verschiedenes|Divers|Varios
Mode|Modus|Mode|Modo
Modified|Geändert|Modifié|Modificado
Mouse|Maus|Souris|Ratón
Normal|Normal|Normal|Normal
Opacity|Deckkraft|Opacité|Opacidad
Orange|Orange|Orange|Naranja
Orientation|Ausrichtung|Orientation|Orientación
Page setup|Seite einrichten|Mise en page|Configurar página
Parent|Übergeordnet|Parent|Padre
Paused|Angehalten|En pause|Pausado
Places|Orte|Emplacements|Lugares
Portrait|Hochformat|Portrait|Vertical
Printer|Drucker|Imprimante|Impresora
Priority|Priorität|Priorité|Prioridad
Purpose|Zweck|But|Propósito
Question|Frage|Question|Pregunta
Ratio|Verhältnis|Rapport|Proporción
Red|Rot|Rouge|Rojo
Resize|Größe ändern|Redimensionner|Redimensionar
Right|Rechts|Droite|Derecha
Right to left|Von rechts nach links|De droite à gauche|De derecha a izquierda
Rotate|Drehen|Pivoter|Girar
Row|Zeile|Ligne|Fila
Rows|Zeilen|Lignes|Filas
Saturation|Sättigung|Saturation|Saturación
Screen|Bildschirm|Écran|Pantalla
Show details|Details anzeigen|Afficher les détails|Mostrar detalles
Size|Größe|Taille|Tamaño
Speed|Geschwindigkeit|Vitesse|Velocidad
Standard|Standard|Standard|Estándar
State|Zustand|État|Estado
Strikethrough|Durchgestrichen|Barré|Tachado
Style|Stil|Style|Estilo
Target|Ziel|Cible|Destino
Text|Text|Texte|Texto
Text color|Textfarbe|Couleur du texte|Color del texto
Theme|Design|Thème|Tema
Toolbar|Werkzeugleiste|Barre d'outils|Barra de herramientas
Top|Oben|Haut|Arriba
Underline|Unterstreichen|Souligné|Subrayado
Unique ID|Eindeutige ID|ID unique|ID único
Unknown error|Unbekannter Fehler|Erreur inconnue|Error desconocido
Unlock|Entsperren|Déverrouiller|Desbloquear
Updates|Aktualisierungen|Mises à jour|Actualizaciones
Urgent|Dringend|Urgent|Urgente
URL|URL|URL|URL
Usage|Verwendung|Utilisation|Uso
Value|Wert|Valeur|Valor
Version|Version|Version|Versión
Vertical|Vertikal|Vertical|Vertical
Video|Video|Vidéo|Vídeo
Visible|Sichtbar|Visible|Visible
Volume|Lautstärke|Volume|Volumen
White|Weiß|Blanc|Blanco
Width|Breite|Largeur|Ancho
Window|Fenster|Fenêtre|Ventana
Yellow|Gelb|Jaune|Amarillo
Zoom in|Vergrößern|Zoom avant|Acercar
Zoom out|Verkleinern|Zoom arrière|Alejar
`;
