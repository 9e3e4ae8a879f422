import { commandLabels } from './commandLabels.ts';
import { laterWordLabels } from './laterWordLabels.ts';
import { settingLabels } from './settingLabels.ts';
import { viewLabels } from './viewLabels.ts';
import { wordLabels } from './wordLabels.ts';

/**
 * The commonest labels of user interfaces, written by this project, with those of five more files: English, German, French, Spanish. A small model
 * knows sentences, and of a word alone it makes anything.
 */

const table = `
Abort|Abbrechen|Abandonner|Abortar
About|Über|À propos|Acerca de
Accept|Akzeptieren|Accepter|Aceptar
Account|Konto|Compte|Cuenta
Actions|Aktionen|Actions|Acciones
Active|Aktiv|Actif|Activo
Activity|Aktivität|Activité|Actividad
Add|Hinzufügen|Ajouter|Añadir
Address|Adresse|Adresse|Dirección
Admin|Admin|Admin|Administrador
Administrator|Administrator|Administrateur|Administrador
Advanced|Erweitert|Avancé|Avanzado
All|Alle|Tous|Todos
Allow|Zulassen|Autoriser|Permitir
Always|Immer|Toujours|Siempre
Amount|Betrag|Montant|Importe
Appearance|Darstellung|Apparence|Apariencia
Application|Anwendung|Application|Aplicación
Apply|Anwenden|Appliquer|Aplicar
Archive|Archiv|Archive|Archivo
Archived|Archiviert|Archivé|Archivado
Attachments|Anhänge|Pièces jointes|Adjuntos
Author|Autor|Auteur|Autor
Automatic|Automatisch|Automatique|Automático
Available|Verfügbar|Disponible|Disponible
Back|Zurück|Retour|Atrás
Bookmark|Lesezeichen|Signet|Marcador
Bookmarks|Lesezeichen|Signets|Marcadores
Browse|Durchsuchen|Parcourir|Examinar
Calendar|Kalender|Calendrier|Calendario
Cancel|Abbrechen|Annuler|Cancelar
Cancelled|Abgebrochen|Annulé|Cancelado
Cart|Warenkorb|Panier|Carrito
Categories|Kategorien|Catégories|Categorías
Category|Kategorie|Catégorie|Categoría
Change|Ändern|Modifier|Cambiar
Change password|Passwort ändern|Changer le mot de passe|Cambiar contraseña
Changes|Änderungen|Modifications|Cambios
Check|Prüfen|Vérifier|Comprobar
Checkout|Zur Kasse|Commander|Finalizar compra
City|Stadt|Ville|Ciudad
Clear|Leeren|Effacer|Borrar
Clear all|Alle löschen|Tout effacer|Borrar todo
Close|Schließen|Fermer|Cerrar
Closed|Geschlossen|Fermé|Cerrado
Code|Code|Code|Código
Collapse|Einklappen|Réduire|Contraer
Comment|Kommentar|Commentaire|Comentario
Comments|Kommentare|Commentaires|Comentarios
Company|Firma|Entreprise|Empresa
Completed|Abgeschlossen|Terminé|Completado
Configuration|Konfiguration|Configuration|Configuración
Configure|Konfigurieren|Configurer|Configurar
Confirm|Bestätigen|Confirmer|Confirmar
Confirm password|Passwort bestätigen|Confirmer le mot de passe|Confirmar contraseña
Connect|Verbinden|Connecter|Conectar
Connected|Verbunden|Connecté|Conectado
Connection|Verbindung|Connexion|Conexión
Contact|Kontakt|Contact|Contacto
Contact us|Kontakt|Nous contacter|Contáctenos
Contacts|Kontakte|Contacts|Contactos
Content|Inhalt|Contenu|Contenido
Contents|Inhalt|Sommaire|Contenido
Continue|Weiter|Continuer|Continuar
Copied|Kopiert|Copié|Copiado
Copy|Kopieren|Copier|Copiar
Copy link|Link kopieren|Copier le lien|Copiar enlace
Country|Land|Pays|País
Create|Erstellen|Créer|Crear
Create account|Konto erstellen|Créer un compte|Crear cuenta
Created|Erstellt|Créé|Creado
Currency|Währung|Devise|Moneda
Current password|Aktuelles Passwort|Mot de passe actuel|Contraseña actual
Custom|Benutzerdefiniert|Personnalisé|Personalizado
Customer|Kunde|Client|Cliente
Customers|Kunden|Clients|Clientes
Cut|Ausschneiden|Couper|Cortar
Dark|Dunkel|Sombre|Oscuro
Dashboard|Übersicht|Tableau de bord|Panel
Data|Daten|Données|Datos
Database|Datenbank|Base de données|Base de datos
Date|Datum|Date|Fecha
Day|Tag|Jour|Día
Days|Tage|Jours|Días
Default|Standard|Par défaut|Predeterminado
Delete|Löschen|Supprimer|Eliminar
Delete account|Konto löschen|Supprimer le compte|Eliminar cuenta
Deleted|Gelöscht|Supprimé|Eliminado
Deny|Ablehnen|Refuser|Denegar
Description|Beschreibung|Description|Descripción
Details|Details|Détails|Detalles
Device|Gerät|Appareil|Dispositivo
Devices|Geräte|Appareils|Dispositivos
Disable|Deaktivieren|Désactiver|Desactivar
Disabled|Deaktiviert|Désactivé|Desactivado
Discard|Verwerfen|Ignorer|Descartar
Disconnect|Trennen|Déconnecter|Desconectar
Disconnected|Getrennt|Déconnecté|Desconectado
Dismiss|Schließen|Ignorer|Descartar
Display|Anzeige|Affichage|Pantalla
Document|Dokument|Document|Documento
Documentation|Dokumentation|Documentation|Documentación
Documents|Dokumente|Documents|Documentos
Done|Fertig|Terminé|Hecho
Download|Herunterladen|Télécharger|Descargar
Downloads|Downloads|Téléchargements|Descargas
Draft|Entwurf|Brouillon|Borrador
Duplicate|Duplizieren|Dupliquer|Duplicar
Duration|Dauer|Durée|Duración
Edit|Bearbeiten|Modifier|Editar
Editor|Editor|Éditeur|Editor
Email|E-Mail|E-mail|Correo electrónico
Email address|E-Mail-Adresse|Adresse e-mail|Dirección de correo electrónico
Empty|Leer|Vide|Vacío
Enable|Aktivieren|Activer|Activar
Enabled|Aktiviert|Activé|Activado
End date|Enddatum|Date de fin|Fecha de fin
Error|Fehler|Erreur|Error
Errors|Fehler|Erreurs|Errores
Events|Ereignisse|Événements|Eventos
Exit|Beenden|Quitter|Salir
Expand|Ausklappen|Développer|Expandir
Expired|Abgelaufen|Expiré|Caducado
Explorer|Explorer|Explorateur|Explorador
Export|Exportieren|Exporter|Exportar
Extensions|Erweiterungen|Extensions|Extensiones
Failed|Fehlgeschlagen|Échec|Fallido
Favorites|Favoriten|Favoris|Favoritos
Features|Funktionen|Fonctionnalités|Funciones
Feedback|Rückmeldung|Commentaires|Comentarios
File|Datei|Fichier|Archivo
File name|Dateiname|Nom du fichier|Nombre de archivo
Files|Dateien|Fichiers|Archivos
Filter|Filter|Filtre|Filtro
Filters|Filter|Filtres|Filtros
Find|Suchen|Rechercher|Buscar
Finish|Fertigstellen|Terminer|Finalizar
First name|Vorname|Prénom|Nombre
Folder|Ordner|Dossier|Carpeta
Folders|Ordner|Dossiers|Carpetas
Font size|Schriftgröße|Taille de police|Tamaño de fuente
Forgot password?|Passwort vergessen?|Mot de passe oublié ?|¿Olvidó su contraseña?
Format|Format|Format|Formato
Free|Kostenlos|Gratuit|Gratis
Full name|Vollständiger Name|Nom complet|Nombre completo
Fullscreen|Vollbild|Plein écran|Pantalla completa
General|Allgemein|Général|General
Getting started|Erste Schritte|Premiers pas|Primeros pasos
Group|Gruppe|Groupe|Grupo
Groups|Gruppen|Groupes|Grupos
Guest|Gast|Invité|Invitado
Hello|Hallo|Bonjour|Hola
Help|Hilfe|Aide|Ayuda
Hidden|Ausgeblendet|Masqué|Oculto
Hide|Ausblenden|Masquer|Ocultar
History|Verlauf|Historique|Historial
Home|Startseite|Accueil|Inicio
Image|Bild|Image|Imagen
Images|Bilder|Images|Imágenes
Import|Importieren|Importer|Importar
Inactive|Inaktiv|Inactif|Inactivo
Inbox|Posteingang|Boîte de réception|Bandeja de entrada
Information|Information|Information|Información
Insert|Einfügen|Insérer|Insertar
Install|Installieren|Installer|Instalar
Installation|Installation|Installation|Instalación
Installed|Installiert|Installé|Instalado
Invite|Einladen|Inviter|Invitar
Invoice|Rechnung|Facture|Factura
Keyboard shortcuts|Tastenkombinationen|Raccourcis clavier|Atajos de teclado
Label|Bezeichnung|Libellé|Etiqueta
Language|Sprache|Langue|Idioma
Languages|Sprachen|Langues|Idiomas
Last name|Nachname|Nom|Apellidos
Layout|Layout|Disposition|Diseño
Learn more|Mehr erfahren|En savoir plus|Más información
License|Lizenz|Licence|Licencia
Light|Hell|Clair|Claro
Link|Link|Lien|Enlace
Links|Links|Liens|Enlaces
List|Liste|Liste|Lista
Load more|Mehr laden|Charger plus|Cargar más
Loading|Wird geladen|Chargement|Cargando
Location|Ort|Emplacement|Ubicación
Lock|Sperren|Verrouiller|Bloquear
Locked|Gesperrt|Verrouillé|Bloqueado
Log in|Anmelden|Se connecter|Iniciar sesión
Log out|Abmelden|Se déconnecter|Cerrar sesión
Login|Anmelden|Connexion|Iniciar sesión
Logout|Abmelden|Déconnexion|Cerrar sesión
Manage|Verwalten|Gérer|Administrar
Maximum|Maximum|Maximum|Máximo
Members|Mitglieder|Membres|Miembros
Menu|Menü|Menu|Menú
Message|Nachricht|Message|Mensaje
Messages|Nachrichten|Messages|Mensajes
Minimum|Minimum|Minimum|Mínimo
Model|Modell|Modèle|Modelo
Models|Modelle|Modèles|Modelos
Month|Monat|Mois|Mes
More|Mehr|Plus|Más
More information|Weitere Informationen|Plus d'informations|Más información
Move|Verschieben|Déplacer|Mover
Name|Name|Nom|Nombre
Network|Netzwerk|Réseau|Red
Never|Nie|Jamais|Nunca
New|Neu|Nouveau|Nuevo
New file|Neue Datei|Nouveau fichier|Nuevo archivo
New folder|Neuer Ordner|Nouveau dossier|Nueva carpeta
New password|Neues Passwort|Nouveau mot de passe|Nueva contraseña
News|Neuigkeiten|Actualités|Noticias
Next|Weiter|Suivant|Siguiente
No|Nein|Non|No
No results found|Keine Ergebnisse gefunden|Aucun résultat trouvé|No se encontraron resultados
None|Keine|Aucun|Ninguno
Notes|Notizen|Notes|Notas
Notifications|Benachrichtigungen|Notifications|Notificaciones
Number|Nummer|Numéro|Número
OK|OK|OK|Aceptar
Off|Aus|Désactivé|Desactivado
Offline|Offline|Hors ligne|Sin conexión
On|Ein|Activé|Activado
Online|Online|En ligne|En línea
Open|Öffnen|Ouvrir|Abrir
Open file|Datei öffnen|Ouvrir un fichier|Abrir archivo
Optional|Optional|Facultatif|Opcional
Options|Optionen|Options|Opciones
Order|Bestellung|Commande|Pedido
Orders|Bestellungen|Commandes|Pedidos
Other|Andere|Autre|Otro
Output|Ausgabe|Sortie|Salida
Overview|Übersicht|Aperçu|Resumen
Owner|Besitzer|Propriétaire|Propietario
Page|Seite|Page|Página
Pages|Seiten|Pages|Páginas
Password|Passwort|Mot de passe|Contraseña
Paste|Einfügen|Coller|Pegar
Path|Pfad|Chemin|Ruta
Pause|Pause|Pause|Pausa
Payment|Zahlung|Paiement|Pago
Pending|Ausstehend|En attente|Pendiente
Permissions|Berechtigungen|Autorisations|Permisos
Phone|Telefon|Téléphone|Teléfono
Phone number|Telefonnummer|Numéro de téléphone|Número de teléfono
Play|Abspielen|Lire|Reproducir
Please wait|Bitte warten|Veuillez patienter|Espere, por favor
Preferences|Einstellungen|Préférences|Preferencias
Preview|Vorschau|Aperçu|Vista previa
Previous|Zurück|Précédent|Anterior
Price|Preis|Prix|Precio
Print|Drucken|Imprimer|Imprimir
Privacy|Datenschutz|Confidentialité|Privacidad
Privacy policy|Datenschutzerklärung|Politique de confidentialité|Política de privacidad
Private|Privat|Privé|Privado
Products|Produkte|Produits|Productos
Profile|Profil|Profil|Perfil
Project|Projekt|Projet|Proyecto
Projects|Projekte|Projets|Proyectos
Properties|Eigenschaften|Propriétés|Propiedades
Public|Öffentlich|Public|Público
Publish|Veröffentlichen|Publier|Publicar
Quantity|Menge|Quantité|Cantidad
Quit|Beenden|Quitter|Salir
Read more|Weiterlesen|Lire la suite|Leer más
Recent|Zuletzt verwendet|Récent|Reciente
Redo|Wiederholen|Rétablir|Rehacer
Refresh|Aktualisieren|Actualiser|Actualizar
Register|Registrieren|S'inscrire|Registrarse
Reject|Ablehnen|Rejeter|Rechazar
Reload|Neu laden|Recharger|Recargar
Remember me|Angemeldet bleiben|Se souvenir de moi|Recordarme
Remove|Entfernen|Supprimer|Quitar
Rename|Umbenennen|Renommer|Cambiar nombre
Replace|Ersetzen|Remplacer|Reemplazar
Replace all|Alle ersetzen|Tout remplacer|Reemplazar todo
Reply|Antworten|Répondre|Responder
Report|Bericht|Rapport|Informe
Reports|Berichte|Rapports|Informes
Required|Erforderlich|Obligatoire|Obligatorio
Reset|Zurücksetzen|Réinitialiser|Restablecer
Reset password|Passwort zurücksetzen|Réinitialiser le mot de passe|Restablecer contraseña
Restart|Neu starten|Redémarrer|Reiniciar
Restore|Wiederherstellen|Restaurer|Restaurar
Results|Ergebnisse|Résultats|Resultados
Retry|Erneut versuchen|Réessayer|Reintentar
Role|Rolle|Rôle|Función
Run|Ausführen|Exécuter|Ejecutar
Save|Speichern|Enregistrer|Guardar
Save as|Speichern unter|Enregistrer sous|Guardar como
Save changes|Änderungen speichern|Enregistrer les modifications|Guardar cambios
Saved|Gespeichert|Enregistré|Guardado
Search|Suchen|Rechercher|Buscar
Search results|Suchergebnisse|Résultats de recherche|Resultados de la búsqueda
Security|Sicherheit|Sécurité|Seguridad
Select|Auswählen|Sélectionner|Seleccionar
Select all|Alle auswählen|Tout sélectionner|Seleccionar todo
Send|Senden|Envoyer|Enviar
Sent|Gesendet|Envoyé|Enviado
Server|Server|Serveur|Servidor
Settings|Einstellungen|Paramètres|Configuración
Share|Teilen|Partager|Compartir
Show|Anzeigen|Afficher|Mostrar
Show all|Alle anzeigen|Tout afficher|Mostrar todo
Show less|Weniger anzeigen|Afficher moins|Mostrar menos
Show more|Mehr anzeigen|Afficher plus|Mostrar más
Sign in|Anmelden|Se connecter|Iniciar sesión
Sign out|Abmelden|Se déconnecter|Cerrar sesión
Sign up|Registrieren|S'inscrire|Registrarse
Skip|Überspringen|Ignorer|Omitir
Sort by|Sortieren nach|Trier par|Ordenar por
Source|Quelle|Source|Origen
Start|Starten|Démarrer|Iniciar
Start date|Startdatum|Date de début|Fecha de inicio
Statistics|Statistik|Statistiques|Estadísticas
Status|Status|Statut|Estado
Stop|Anhalten|Arrêter|Detener
Submit|Absenden|Envoyer|Enviar
Success|Erfolg|Succès|Éxito
Summary|Zusammenfassung|Résumé|Resumen
Support|Support|Assistance|Soporte
System|System|Système|Sistema
Table of contents|Inhaltsverzeichnis|Table des matières|Índice
Tags|Schlagwörter|Étiquettes|Etiquetas
Tasks|Aufgaben|Tâches|Tareas
Team|Team|Équipe|Equipo
Terms of service|Nutzungsbedingungen|Conditions d'utilisation|Condiciones del servicio
Thank you|Danke|Merci|Gracias
Time|Zeit|Heure|Hora
Title|Titel|Titre|Título
Today|Heute|Aujourd'hui|Hoy
Tomorrow|Morgen|Demain|Mañana
Tools|Werkzeuge|Outils|Herramientas
Total|Gesamt|Total|Total
Translate|Übersetzen|Traduire|Traducir
Translation|Übersetzung|Traduction|Traducción
Try again|Erneut versuchen|Réessayer|Intentar de nuevo
Type|Typ|Type|Tipo
Undo|Rückgängig|Annuler|Deshacer
Uninstall|Deinstallieren|Désinstaller|Desinstalar
Unknown|Unbekannt|Inconnu|Desconocido
Update|Aktualisieren|Mettre à jour|Actualizar
Upload|Hochladen|Téléverser|Subir
User|Benutzer|Utilisateur|Usuario
Username|Benutzername|Nom d'utilisateur|Nombre de usuario
Users|Benutzer|Utilisateurs|Usuarios
View|Ansicht|Affichage|Ver
Warning|Warnung|Avertissement|Advertencia
Week|Woche|Semaine|Semana
Welcome|Willkommen|Bienvenue|Bienvenido
Year|Jahr|Année|Año
Yes|Ja|Oui|Sí
Yesterday|Gestern|Hier|Ayer
Your account|Ihr Konto|Votre compte|Su cuenta
`;

const targets = ['de', 'fr', 'es'];
let rows: ReadonlyMap<string, readonly string[]> | undefined;

/** The label in another language; marks at its end stay. Only from English. */
export function uiLabel(text: string, from: string, to: string): string | undefined {
	const column = from === 'en' ? targets.indexOf(to) : -1;
	if (column < 0 || text.length > 40) return undefined;
	rows ??= new Map(
		(table + settingLabels + commandLabels + wordLabels + laterWordLabels + viewLabels)
			.split('\n')
			.map((line) => {
				const [label = '', ...others] = line.split('|');
				return [label, others];
			}),
	);
	const end = /(?: ?(?:…|\.\.\.|:))?$/.exec(text)?.[0] ?? '';
	const label = found(rows, text)?.[column];
	if (label) return label;
	const bare = found(rows, text.slice(0, text.length - end.length))?.[column];
	return bare && end !== '' ? bare + (to === 'fr' && end === ':' ? '\u00a0:' : end) : undefined;
}

/** A row by its label, whose words may begin with capitals. */
const found = (all: ReadonlyMap<string, readonly string[]>, text: string) => {
	const plain = text.replaceAll('’', "'");
	return (
		all.get(plain) ??
		(/^\p{Lu}[\p{Ll}'-]*(?: \p{Lu}?[\p{Ll}'-]+)+\??$/u.test(plain)
			? all.get(plain.charAt(0) + plain.slice(1).toLowerCase())
			: undefined)
	);
};
