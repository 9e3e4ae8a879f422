/** Labels of tables, charts, players, page viewers and text editors: English, German, French, Spanish. */

export const viewLabels = `
Actual size|Originalgröße|Taille réelle|Tamaño real
Add a comment|Kommentar hinzufügen|Ajouter un commentaire|Añadir un comentario
Add a description|Beschreibung hinzufügen|Ajouter une description|Añadir una descripción
Add column|Spalte hinzufügen|Ajouter une colonne|Añadir columna
Add filter|Filter hinzufügen|Ajouter un filtre|Añadir filtro
Add group|Gruppe hinzufügen|Ajouter un groupe|Añadir grupo
Add image|Bild hinzufügen|Ajouter une image|Añadir imagen
Add row|Zeile hinzufügen|Ajouter une ligne|Añadir fila
Add rule|Regel hinzufügen|Ajouter une règle|Añadir regla
Add signature|Signatur hinzufügen|Ajouter une signature|Añadir firma
Add task|Aufgabe hinzufügen|Ajouter une tâche|Añadir tarea
Agenda|Terminübersicht|Agenda|Agenda
Align bottom|Unten ausrichten|Aligner en bas|Alinear abajo
Align center|Zentrieren|Centrer|Centrar
Align left|Links ausrichten|Aligner à gauche|Alinear a la izquierda
Align middle|Mittig ausrichten|Aligner au milieu|Alinear en el medio
Align right|Rechts ausrichten|Aligner à droite|Alinear a la derecha
Align top|Oben ausrichten|Aligner en haut|Alinear arriba
All columns|Alle Spalten|Toutes les colonnes|Todas las columnas
All events|Alle Termine|Tous les événements|Todos los eventos
Alt text|Alternativtext|Texte alternatif|Texto alternativo
Annotations|Anmerkungen|Annotations|Anotaciones
Ascending order|Aufsteigende Reihenfolge|Ordre croissant|Orden ascendente
Audio player|Audioplayer|Lecteur audio|Reproductor de audio
Audio track|Tonspur|Piste audio|Pista de audio
Automatic zoom|Automatischer Zoom|Zoom automatique|Zoom automático
Avatar|Avatar|Avatar|Avatar
Axis title|Achsentitel|Titre de l'axe|Título del eje
Bar chart|Balkendiagramm|Diagramme à barres|Gráfico de barras
Bookmark this page|Lesezeichen für diese Seite|Marquer cette page|Añadir esta página a marcadores
Bulleted list|Aufzählung|Liste à puces|Lista con viñetas
Captions|Untertitel|Sous-titres|Subtítulos
Change color|Farbe ändern|Changer la couleur|Cambiar color
Change settings|Einstellungen ändern|Modifier les paramètres|Cambiar la configuración
Chapters|Kapitel|Chapitres|Capítulos
Chart title|Diagrammtitel|Titre du graphique|Título del gráfico
Choose a date|Datum auswählen|Choisir une date|Elegir una fecha
Choose color|Farbe auswählen|Choisir une couleur|Elegir color
Choose month|Monat auswählen|Choisir un mois|Elegir mes
Choose year|Jahr auswählen|Choisir une année|Elegir año
Clear formatting|Formatierung entfernen|Effacer la mise en forme|Borrar formato
Clear value|Wert löschen|Effacer la valeur|Borrar valor
Collapse group|Gruppe einklappen|Réduire le groupe|Contraer grupo
Column chart|Säulendiagramm|Histogramme|Gráfico de columnas
Contains|Enthält|Contient|Contiene
Contrast ratio|Kontrastverhältnis|Rapport de contraste|Relación de contraste
Creation date|Erstellungsdatum|Date de création|Fecha de creación
Current time|Aktuelle Zeit|Heure actuelle|Hora actual
Decrease font size|Schrift verkleinern|Réduire la taille de police|Disminuir tamaño de fuente
Decrease value|Wert verringern|Diminuer la valeur|Disminuir valor
Delete column|Spalte löschen|Supprimer la colonne|Eliminar columna
Delete event|Termin löschen|Supprimer l'événement|Eliminar evento
Delete row|Zeile löschen|Supprimer la ligne|Eliminar fila
Delete table|Tabelle löschen|Supprimer le tableau|Eliminar tabla
Delete task|Aufgabe löschen|Supprimer la tâche|Eliminar tarea
Descending order|Absteigende Reihenfolge|Ordre décroissant|Orden descendente
Document outline|Dokumentstruktur|Plan du document|Esquema del documento
Document properties|Dokumenteigenschaften|Propriétés du document|Propiedades del documento
Does not contain|Enthält nicht|Ne contient pas|No contiene
Does not equal|Ist nicht gleich|N'est pas égal à|No es igual a
Download all|Alle herunterladen|Tout télécharger|Descargar todo
Drag|Ziehen|Faire glisser|Arrastrar
Draw|Zeichnen|Dessiner|Dibujar
Drop shadow|Schlagschatten|Ombre portée|Sombra paralela
Edit comment|Kommentar bearbeiten|Modifier le commentaire|Editar comentario
Edit description|Beschreibung bearbeiten|Modifier la description|Editar descripción
Edit row|Zeile bearbeiten|Modifier la ligne|Editar fila
End time|Endzeit|Heure de fin|Hora de finalización
Ends with|Endet mit|Se termine par|Termina con
Enter a password|Passwort eingeben|Saisir un mot de passe|Introduzca una contraseña
Equals|Gleich|Égal à|Igual a
Exit fullscreen|Vollbild beenden|Quitter le plein écran|Salir de pantalla completa
Expand group|Gruppe ausklappen|Développer le groupe|Expandir grupo
Failed to send|Senden fehlgeschlagen|Échec de l'envoi|Error al enviar
Fast forward|Vorspulen|Avance rapide|Avance rápido
Filter by|Filtern nach|Filtrer par|Filtrar por
Find in document|Im Dokument suchen|Rechercher dans le document|Buscar en el documento
First page|Erste Seite|Première page|Primera página
Fit to page|An Seite anpassen|Ajuster à la page|Ajustar a la página
Fit to width|An Breite anpassen|Ajuster à la largeur|Ajustar al ancho
Font color|Schriftfarbe|Couleur de police|Color de fuente
Font family|Schriftart|Police|Fuente
Greater than|Größer als|Supérieur à|Mayor que
Grid view|Rasteransicht|Affichage en grille|Vista de cuadrícula
Group by|Gruppieren nach|Grouper par|Agrupar por
Hand tool|Hand-Werkzeug|Outil main|Herramienta de mano
Heading|Überschrift|Titre|Título
Hide filter|Filter ausblenden|Masquer le filtre|Ocultar filtro
Highlight all|Alle hervorheben|Tout surligner|Resaltar todo
Highlight color|Hervorhebungsfarbe|Couleur de surlignage|Color de resaltado
Highlight|Hervorheben|Surligner|Resaltar
Horizontal scrolling|Horizontales Scrollen|Défilement horizontal|Desplazamiento horizontal
Increase font size|Schrift vergrößern|Augmenter la taille de police|Aumentar tamaño de fuente
Increase value|Wert erhöhen|Augmenter la valeur|Aumentar valor
Indent|Einzug vergrößern|Augmenter le retrait|Aumentar sangría
Insert file|Datei einfügen|Insérer un fichier|Insertar archivo
Insert image|Bild einfügen|Insérer une image|Insertar imagen
Insert link|Link einfügen|Insérer un lien|Insertar enlace
Insert table|Tabelle einfügen|Insérer un tableau|Insertar tabla
Is after|Ist nach|Est après|Es posterior a
Is before|Ist vor|Est avant|Es anterior a
Is empty|Ist leer|Est vide|Está vacío
Is equal to|Ist gleich|Est égal à|Es igual a
Is false|Ist falsch|Est faux|Es falso
Is greater than|Ist größer als|Est supérieur à|Es mayor que
Is less than|Ist kleiner als|Est inférieur à|Es menor que
Is not empty|Ist nicht leer|N'est pas vide|No está vacío
Is not equal to|Ist nicht gleich|N'est pas égal à|No es igual a
Is true|Ist wahr|Est vrai|Es verdadero
Justify|Blocksatz|Justifier|Justificar
Last page|Letzte Seite|Dernière page|Última página
Layers|Ebenen|Calques|Capas
Legend|Legende|Légende|Leyenda
Less than|Kleiner als|Inférieur à|Menor que
Line chart|Liniendiagramm|Graphique en courbes|Gráfico de líneas
Line height|Zeilenhöhe|Hauteur de ligne|Altura de línea
Match diacritics|Diakritische Zeichen beachten|Respecter les accents|Distinguir diacríticos
Merge cells|Zellen verbinden|Fusionner les cellules|Combinar celdas
Millisecond|Millisekunde|Milliseconde|Milisegundo
Modification date|Änderungsdatum|Date de modification|Fecha de modificación
More tools|Weitere Werkzeuge|Plus d'outils|Más herramientas
Next match|Nächster Treffer|Correspondance suivante|Coincidencia siguiente
Next month|Nächster Monat|Mois suivant|Mes siguiente
Next page|Nächste Seite|Page suivante|Página siguiente
Next tab|Nächster Tab|Onglet suivant|Pestaña siguiente
Next week|Nächste Woche|Semaine prochaine|Próxima semana
Next year|Nächstes Jahr|Année suivante|Año siguiente
No content|Kein Inhalt|Aucun contenu|Sin contenido
No data found|Keine Daten gefunden|Aucune donnée trouvée|No se encontraron datos
No file chosen|Keine Datei ausgewählt|Aucun fichier choisi|Ningún archivo seleccionado
No filter|Kein Filter|Aucun filtre|Sin filtro
Numbered list|Nummerierte Liste|Liste numérotée|Lista numerada
Opaque|Deckend|Opaque|Opaco
Outdent|Einzug verkleinern|Diminuer le retrait|Reducir sangría
Page number|Seitenzahl|Numéro de page|Número de página
Page size|Seitengröße|Taille de la page|Tamaño de página
Page width|Seitenbreite|Largeur de la page|Ancho de página
Phrase not found|Ausdruck nicht gefunden|Expression non trouvée|Frase no encontrada
Pie chart|Kreisdiagramm|Diagramme circulaire|Gráfico circular
Playback rate|Wiedergabegeschwindigkeit|Vitesse de lecture|Velocidad de reproducción
Please confirm|Bitte bestätigen|Veuillez confirmer|Confirme, por favor
Presentation mode|Präsentationsmodus|Mode présentation|Modo presentación
Previous match|Vorheriger Treffer|Correspondance précédente|Coincidencia anterior
Previous month|Vorheriger Monat|Mois précédent|Mes anterior
Previous page|Vorherige Seite|Page précédente|Página anterior
Previous tab|Vorheriger Tab|Onglet précédent|Pestaña anterior
Previous week|Vorherige Woche|Semaine précédente|Semana anterior
Previous year|Vorheriges Jahr|Année précédente|Año anterior
Progress bar|Fortschrittsbalken|Barre de progression|Barra de progreso
Remaining time|Verbleibende Zeit|Temps restant|Tiempo restante
Remove comment|Kommentar entfernen|Supprimer le commentaire|Eliminar comentario
Remove file|Datei entfernen|Supprimer le fichier|Eliminar archivo
Remove image|Bild entfernen|Supprimer l'image|Eliminar imagen
Remove link|Link entfernen|Supprimer le lien|Quitar enlace
Remove text|Text entfernen|Supprimer le texte|Eliminar texto
Repeat every|Wiederholen alle|Répéter tous les|Repetir cada
Replay|Erneut abspielen|Revoir|Volver a ver
Resource|Ressource|Ressource|Recurso
Rewind|Zurückspulen|Retour rapide|Rebobinar
Rotate clockwise|Im Uhrzeigersinn drehen|Rotation horaire|Girar en sentido horario
Rotate counterclockwise|Gegen den Uhrzeigersinn drehen|Rotation antihoraire|Girar en sentido antihorario
Rows per page|Zeilen pro Seite|Lignes par page|Filas por página
Scroll left|Nach links scrollen|Défiler vers la gauche|Desplazar a la izquierda
Scroll right|Nach rechts scrollen|Défiler vers la droite|Desplazar a la derecha
Scroll to top|Nach oben scrollen|Défiler vers le haut|Desplazar hacia arriba
Select all rows|Alle Zeilen auswählen|Sélectionner toutes les lignes|Seleccionar todas las filas
Select color|Farbe auswählen|Sélectionner une couleur|Seleccionar color
Select page|Seite auswählen|Sélectionner la page|Seleccionar página
Select row|Zeile auswählen|Sélectionner la ligne|Seleccionar fila
Series|Reihe|Série|Serie
Show comment|Kommentar anzeigen|Afficher le commentaire|Mostrar comentario
Show filter|Filter anzeigen|Afficher le filtre|Mostrar filtro
Show labels|Beschriftungen anzeigen|Afficher les étiquettes|Mostrar etiquetas
Show legend|Legende anzeigen|Afficher la légende|Mostrar leyenda
Small caps|Kapitälchen|Petites majuscules|Versalitas
Sortable|Sortierbar|Triable|Ordenable
Split cell|Zelle teilen|Fractionner la cellule|Dividir celda
Start time|Startzeit|Heure de début|Hora de inicio
Starts with|Beginnt mit|Commence par|Comienza por
Subscript|Tiefgestellt|Indice|Subíndice
Subtitles|Untertitel|Sous-titres|Subtítulos
Superscript|Hochgestellt|Exposant|Superíndice
Text background|Texthintergrund|Arrière-plan du texte|Fondo del texto
Thickness|Stärke|Épaisseur|Grosor
Toggle calendar|Kalender ein-/ausblenden|Afficher/masquer le calendrier|Mostrar u ocultar el calendario
Transparent|Transparent|Transparent|Transparente
Ungroup|Gruppierung aufheben|Dissocier|Desagrupar
Unhide|Einblenden|Afficher|Mostrar
Unselect|Auswahl aufheben|Désélectionner|Anular selección
Vertical scrolling|Vertikales Scrollen|Défilement vertical|Desplazamiento vertical
Video player|Videoplayer|Lecteur vidéo|Reproductor de vídeo
View source|Quelltext anzeigen|Afficher le code source|Ver código fuente
Voice input|Spracheingabe|Saisie vocale|Entrada de voz
Web address|Internetadresse|Adresse web|Dirección web
Weekday|Wochentag|Jour de la semaine|Día de la semana
Whole words|Ganze Wörter|Mots entiers|Palabras completas
Work week|Arbeitswoche|Semaine de travail|Semana laboral
Wrap text|Textumbruch|Renvoyer à la ligne|Ajustar texto
X axis|X-Achse|Axe X|Eje X
Y axis|Y-Achse|Axe Y|Eje Y
`;
