/** Labels that name or describe something, from M on: English, German, French, Spanish. */

export const laterWordLabels = `
Magenta|Magenta|Magenta|Magenta
Mail|E-Mail|Courrier|Correo
Manager|Manager|Responsable|Responsable
Manual|Handbuch|Manuel|Manual
Map|Karte|Carte|Mapa
Marketplace|Marktplatz|Place de marché|Tienda
Match case|Groß-/Kleinschreibung beachten|Respecter la casse|Coincidir mayúsculas y minúsculas
Media|Medien|Médias|Multimedia
Member|Mitglied|Membre|Miembro
Menu bar|Menüleiste|Barre de menus|Barra de menús
Metadata|Metadaten|Métadonnées|Metadatos
Method|Methode|Méthode|Método
Microphone|Mikrofon|Microphone|Micrófono
Minute|Minute|Minute|Minuto
Minutes|Minuten|Minutes|Minutos
Missing|Fehlt|Manquant|Falta
Mobile|Mobil|Mobile|Móvil
Monthly|Monatlich|Mensuel|Mensual
Months|Monate|Mois|Meses
More actions|Weitere Aktionen|Plus d'actions|Más acciones
More info|Weitere Informationen|Plus d'informations|Más información
More options|Weitere Optionen|Plus d'options|Más opciones
Music|Musik|Musique|Música
My account|Mein Konto|Mon compte|Mi cuenta
My profile|Mein Profil|Mon profil|Mi perfil
N/A|k. A.|N/D|N/D
Navigation|Navigation|Navigation|Navegación
Networks|Netzwerke|Réseaux|Redes
New message|Neue Nachricht|Nouveau message|Mensaje nuevo
New name|Neuer Name|Nouveau nom|Nuevo nombre
Newsletter|Newsletter|Newsletter|Boletín
Nickname|Spitzname|Pseudo|Apodo
No data|Keine Daten|Aucune donnée|Sin datos
No match|Keine Übereinstimmung|Aucune correspondance|Sin coincidencias
No matches found|Keine Treffer gefunden|Aucune correspondance trouvée|No se encontraron coincidencias
No messages|Keine Nachrichten|Aucun message|No hay mensajes
No results|Keine Ergebnisse|Aucun résultat|Sin resultados
Normal size|Normale Größe|Taille normale|Tamaño normal
Not available|Nicht verfügbar|Indisponible|No disponible
Not connected|Nicht verbunden|Non connecté|Sin conexión
Not found|Nicht gefunden|Introuvable|No encontrado
Not installed|Nicht installiert|Non installé|No instalado
Note|Hinweis|Remarque|Nota
Notification|Benachrichtigung|Notification|Notificación
Now|Jetzt|Maintenant|Ahora
Object|Objekt|Objet|Objeto
Old password|Altes Passwort|Ancien mot de passe|Contraseña anterior
Operator|Operator|Opérateur|Operador
Option|Option|Option|Opción
Or|Oder|Ou|O
Organization|Organisation|Organisation|Organización
Original|Original|Original|Original
Other applications|Andere Anwendungen|Autres applications|Otras aplicaciones
Others|Andere|Autres|Otros
Package|Paket|Paquet|Paquete
Packages|Pakete|Paquets|Paquetes
Padding|Innenabstand|Marge intérieure|Relleno
Page not found|Seite nicht gefunden|Page introuvable|Página no encontrada
Paid|Bezahlt|Payé|Pagado
Panel|Panel|Panneau|Panel
Paper|Papier|Papier|Papel
Paragraph|Absatz|Paragraphe|Párrafo
Parameters|Parameter|Paramètres|Parámetros
Partner|Partner|Partenaire|Socio
Passwords do not match|Die Passwörter stimmen nicht überein|Les mots de passe ne correspondent pas|Las contraseñas no coinciden
Pattern|Muster|Motif|Patrón
Payment method|Zahlungsart|Mode de paiement|Método de pago
Payments|Zahlungen|Paiements|Pagos
People|Personen|Personnes|Personas
Percent|Prozent|Pour cent|Por ciento
Permission|Berechtigung|Autorisation|Permiso
Permission denied|Zugriff verweigert|Autorisation refusée|Permiso denegado
Phone numbers|Telefonnummern|Numéros de téléphone|Números de teléfono
Photo|Foto|Photo|Foto
Photos|Fotos|Photos|Fotos
Picture|Bild|Image|Imagen
Pictures|Bilder|Images|Imágenes
Pink|Rosa|Rose|Rosa
Plain text|Reiner Text|Texte brut|Texto sin formato
Plan|Tarif|Forfait|Plan
Playlist|Wiedergabeliste|Liste de lecture|Lista de reproducción
Plugins|Plugins|Plugins|Complementos
Popular|Beliebt|Populaire|Popular
Position|Position|Position|Posición
Postal code|Postleitzahl|Code postal|Código postal
Posts|Beiträge|Publications|Publicaciones
Prefix|Präfix|Préfixe|Prefijo
Preparing|Wird vorbereitet|Préparation|Preparando
Presentation|Präsentation|Présentation|Presentación
Pricing|Preise|Tarifs|Precios
Primary|Primär|Principal|Principal
Printing|Wird gedruckt|Impression|Imprimiendo
Problems|Probleme|Problèmes|Problemas
Process|Prozess|Processus|Proceso
Processing|Wird verarbeitet|Traitement en cours|Procesando
Product|Produkt|Produit|Producto
Profile picture|Profilbild|Photo de profil|Foto de perfil
Profiles|Profile|Profils|Perfiles
Program|Programm|Programme|Programa
Progress|Fortschritt|Progression|Progreso
Project name|Projektname|Nom du projet|Nombre del proyecto
Property|Eigenschaft|Propriété|Propiedad
Province|Provinz|Province|Provincia
Proxy|Proxy|Proxy|Proxy
Purple|Lila|Violet|Morado
Quality|Qualität|Qualité|Calidad
Query|Abfrage|Requête|Consulta
Questions|Fragen|Questions|Preguntas
Queue|Warteschlange|File d'attente|Cola
Random|Zufällig|Aléatoire|Aleatorio
Range|Bereich|Plage|Intervalo
Rating|Bewertung|Note|Valoración
Read only|Schreibgeschützt|Lecture seule|Solo lectura
Read-only|Schreibgeschützt|Lecture seule|Solo lectura
Ready|Bereit|Prêt|Listo
Reason|Grund|Motif|Motivo
Received|Empfangen|Reçu|Recibido
Recent files|Zuletzt verwendete Dateien|Fichiers récents|Archivos recientes
Recipient|Empfänger|Destinataire|Destinatario
Recommended|Empfohlen|Recommandé|Recomendado
Recommended applications|Empfohlene Anwendungen|Applications recommandées|Aplicaciones recomendadas
Reference|Referenz|Référence|Referencia
References|Referenzen|Références|Referencias
Region|Region|Région|Región
Regular expression|Regulärer Ausdruck|Expression régulière|Expresión regular
Release notes|Versionshinweise|Notes de version|Notas de la versión
Remaining|Verbleibend|Restant|Restante
Remote|Remote|Distant|Remoto
Replace with|Ersetzen durch|Remplacer par|Reemplazar por
Repository|Repository|Dépôt|Repositorio
Requests|Anfragen|Demandes|Solicitudes
Required field|Pflichtfeld|Champ obligatoire|Campo obligatorio
Resolution|Auflösung|Résolution|Resolución
Resources|Ressourcen|Ressources|Recursos
Result|Ergebnis|Résultat|Resultado
Reviews|Bewertungen|Avis|Reseñas
Roles|Rollen|Rôles|Roles
Rotation|Drehung|Rotation|Rotación
Rules|Regeln|Règles|Reglas
Running|Wird ausgeführt|En cours d'exécution|En ejecución
Sales|Verkäufe|Ventes|Ventas
Saturday|Samstag|Samedi|Sábado
Saving|Wird gespeichert|Enregistrement|Guardando
Scale|Skalierung|Échelle|Escala
Scheduled|Geplant|Planifié|Programado
Screenshots|Bildschirmfotos|Captures d'écran|Capturas de pantalla
Script|Skript|Script|Script
Search for|Suchen nach|Rechercher|Buscar
Searching|Suche läuft|Recherche|Buscando
Second|Sekunde|Seconde|Segundo
Secondary|Sekundär|Secondaire|Secundario
Seconds|Sekunden|Secondes|Segundos
Section|Abschnitt|Section|Sección
Selected|Ausgewählt|Sélectionné|Seleccionado
Selection|Auswahl|Sélection|Selección
Sender|Absender|Expéditeur|Remitente
Server error|Serverfehler|Erreur du serveur|Error del servidor
Servers|Server|Serveurs|Servidores
Service|Dienst|Service|Servicio
Services|Dienste|Services|Servicios
Session|Sitzung|Session|Sesión
Sessions|Sitzungen|Sessions|Sesiones
Setup|Einrichtung|Configuration|Configuración
Shared|Geteilt|Partagé|Compartido
Shipping|Versand|Livraison|Envío
Shipping address|Lieferadresse|Adresse de livraison|Dirección de envío
Shopping cart|Warenkorb|Panier|Carrito de la compra
Shortcut|Tastenkürzel|Raccourci|Atajo
Shortcuts|Tastenkürzel|Raccourcis|Atajos
Show in menu|Im Menü anzeigen|Afficher dans le menu|Mostrar en el menú
Sidebar|Seitenleiste|Barre latérale|Barra lateral
Signature|Signatur|Signature|Firma
Simple|Einfach|Simple|Simple
Single|Einzeln|Unique|Único
Small|Klein|Petit|Pequeño
Snippets|Codeausschnitte|Extraits|Fragmentos
Software|Software|Logiciel|Software
Something went wrong|Etwas ist schiefgelaufen|Une erreur s'est produite|Se ha producido un error
Sound|Ton|Son|Sonido
Source code|Quellcode|Code source|Código fuente
Space|Speicherplatz|Espace|Espacio
Spreadsheet|Tabelle|Feuille de calcul|Hoja de cálculo
Stable|Stabil|Stable|Estable
Starred|Markiert|Favoris|Destacados
Starting|Wird gestartet|Démarrage|Iniciando
Status bar|Statusleiste|Barre d'état|Barra de estado
Step|Schritt|Étape|Paso
Stopped|Angehalten|Arrêté|Detenido
Storage|Speicher|Stockage|Almacenamiento
Store|Shop|Boutique|Tienda
Street|Straße|Rue|Calle
Subject|Betreff|Objet|Asunto
Subscription|Abonnement|Abonnement|Suscripción
Subtitle|Untertitel|Sous-titre|Subtítulo
Subtotal|Zwischensumme|Sous-total|Subtotal
Suggestions|Vorschläge|Suggestions|Sugerencias
Sunday|Sonntag|Dimanche|Domingo
Symbols|Symbole|Symboles|Símbolos
System error|Systemfehler|Erreur système|Error del sistema
Tab|Tab|Onglet|Pestaña
Table|Tabelle|Tableau|Tabla
Tabs|Tabs|Onglets|Pestañas
Tag|Schlagwort|Étiquette|Etiqueta
Task|Aufgabe|Tâche|Tarea
Tax|Steuer|Taxe|Impuesto
Teams|Teams|Équipes|Equipos
Template|Vorlage|Modèle|Plantilla
Templates|Vorlagen|Modèles|Plantillas
Terminal|Terminal|Terminal|Terminal
Terms|Bedingungen|Conditions|Condiciones
Terms and conditions|Allgemeine Geschäftsbedingungen|Conditions générales|Términos y condiciones
Terms of use|Nutzungsbedingungen|Conditions d'utilisation|Condiciones de uso
Test|Test|Test|Prueba
Tests|Tests|Tests|Pruebas
Text editor|Texteditor|Éditeur de texte|Editor de texto
Text files|Textdateien|Fichiers texte|Archivos de texto
Thanks|Danke|Merci|Gracias
Themes|Designs|Thèmes|Temas
This month|Dieser Monat|Ce mois-ci|Este mes
This week|Diese Woche|Cette semaine|Esta semana
This year|Dieses Jahr|Cette année|Este año
Thumbnail|Miniaturbild|Miniature|Miniatura
Thumbnails|Miniaturbilder|Miniatures|Miniaturas
Thursday|Donnerstag|Jeudi|Jueves
Time zone|Zeitzone|Fuseau horaire|Zona horaria
Timeline|Zeitachse|Chronologie|Cronología
Timeout|Zeitüberschreitung|Délai d'attente|Tiempo de espera
Timezone|Zeitzone|Fuseau horaire|Zona horaria
To|An|À|Para
Token|Token|Jeton|Token
Topic|Thema|Sujet|Tema
Total price|Gesamtpreis|Prix total|Precio total
Trash|Papierkorb|Corbeille|Papelera
Troubleshooting|Fehlerbehebung|Résolution des problèmes|Solución de problemas
True|Wahr|Vrai|Verdadero
Trust|Vertrauen|Faire confiance|Confiar
Tuesday|Dienstag|Mardi|Martes
Tutorial|Tutorial|Tutoriel|Tutorial
Unavailable|Nicht verfügbar|Indisponible|No disponible
Unit|Einheit|Unité|Unidad
Units|Einheiten|Unités|Unidades
Unlimited|Unbegrenzt|Illimité|Ilimitado
Unread|Ungelesen|Non lu|No leído
Untitled|Unbenannt|Sans titre|Sin título
Up|Nach oben|Haut|Arriba
Up to date|Auf dem neuesten Stand|À jour|Actualizado
Update available|Update verfügbar|Mise à jour disponible|Actualización disponible
Updated|Aktualisiert|Mis à jour|Actualizado
Uploading|Wird hochgeladen|Téléversement|Subiendo
User name|Benutzername|Nom d'utilisateur|Nombre de usuario
Values|Werte|Valeurs|Valores
Variable|Variable|Variable|Variable
Variables|Variablen|Variables|Variables
Verification code|Bestätigungscode|Code de vérification|Código de verificación
Versions|Versionen|Versions|Versiones
Videos|Videos|Vidéos|Vídeos
Views|Ansichten|Vues|Vistas
Visibility|Sichtbarkeit|Visibilité|Visibilidad
Waiting|Warten|En attente|En espera
Warnings|Warnungen|Avertissements|Advertencias
Website|Website|Site web|Sitio web
Wednesday|Mittwoch|Mercredi|Miércoles
Weekly|Wöchentlich|Hebdomadaire|Semanal
Weeks|Wochen|Semaines|Semanas
Weight|Gewicht|Poids|Peso
What's new|Neuigkeiten|Nouveautés|Novedades
Windows|Fenster|Fenêtres|Ventanas
Workspace|Arbeitsbereich|Espace de travail|Área de trabajo
Yearly|Jährlich|Annuel|Anual
Years|Jahre|Années|Años
Zip code|Postleitzahl|Code postal|Código postal
Zoom|Zoom|Zoom|Zoom
`;
