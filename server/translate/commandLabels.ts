/** Labels of commands and buttons with what they are done to: English, German, French, Spanish. */

export const commandLabels = `
Add account|Konto hinzufügen|Ajouter un compte|Añadir cuenta
Add comment|Kommentar hinzufügen|Ajouter un commentaire|Añadir comentario
Add file|Datei hinzufügen|Ajouter un fichier|Añadir archivo
Add files|Dateien hinzufügen|Ajouter des fichiers|Añadir archivos
Add folder|Ordner hinzufügen|Ajouter un dossier|Añadir carpeta
Add item|Eintrag hinzufügen|Ajouter un élément|Añadir elemento
Add to cart|In den Warenkorb|Ajouter au panier|Añadir al carrito
Add to favorites|Zu Favoriten hinzufügen|Ajouter aux favoris|Añadir a favoritos
Add user|Benutzer hinzufügen|Ajouter un utilisateur|Añadir usuario
Align|Ausrichten|Aligner|Alinear
Approve|Genehmigen|Approuver|Aprobar
Assign|Zuweisen|Attribuer|Asignar
Attach|Anhängen|Joindre|Adjuntar
Attach file|Datei anhängen|Joindre un fichier|Adjuntar archivo
Back up|Sichern|Sauvegarder|Hacer copia de seguridad
Ban|Sperren|Bannir|Bloquear
Block|Blockieren|Bloquer|Bloquear
Book|Buchen|Réserver|Reservar
Build|Erstellen|Compiler|Compilar
Buy|Kaufen|Acheter|Comprar
Buy now|Jetzt kaufen|Acheter maintenant|Comprar ahora
Call|Anrufen|Appeler|Llamar
Change language|Sprache ändern|Changer de langue|Cambiar idioma
Check all|Alle markieren|Tout cocher|Marcar todo
Check for updates|Nach Updates suchen|Rechercher les mises à jour|Buscar actualizaciones
Choose|Auswählen|Choisir|Elegir
Choose a file|Datei auswählen|Choisir un fichier|Elegir un archivo
Choose file|Datei auswählen|Choisir un fichier|Elegir archivo
Clear history|Verlauf löschen|Effacer l'historique|Borrar historial
Clear search|Suche zurücksetzen|Effacer la recherche|Borrar búsqueda
Clone|Klonen|Cloner|Clonar
Close all|Alle schließen|Tout fermer|Cerrar todo
Close tab|Tab schließen|Fermer l'onglet|Cerrar pestaña
Close window|Fenster schließen|Fermer la fenêtre|Cerrar ventana
Close without saving|Schließen ohne zu speichern|Fermer sans enregistrer|Cerrar sin guardar
Collapse all|Alle einklappen|Tout réduire|Contraer todo
Commit|Committen|Valider|Confirmar
Compare|Vergleichen|Comparer|Comparar
Compose|Verfassen|Rédiger|Redactar
Compress|Komprimieren|Compresser|Comprimir
Convert|Konvertieren|Convertir|Convertir
Copy all|Alle kopieren|Tout copier|Copiar todo
Copy image|Bild kopieren|Copier l'image|Copiar imagen
Copy path|Pfad kopieren|Copier le chemin|Copiar ruta
Copy to clipboard|In die Zwischenablage kopieren|Copier dans le presse-papiers|Copiar al portapapeles
Create a new account|Neues Konto erstellen|Créer un nouveau compte|Crear una cuenta nueva
Create group|Gruppe erstellen|Créer un groupe|Crear grupo
Create new|Neu erstellen|Créer|Crear nuevo
Create project|Projekt erstellen|Créer un projet|Crear proyecto
Crop|Zuschneiden|Rogner|Recortar
Customize|Anpassen|Personnaliser|Personalizar
Decline|Ablehnen|Refuser|Rechazar
Decrease|Verringern|Diminuer|Disminuir
Decrease indent|Einzug verringern|Diminuer le retrait|Reducir sangría
Delete all|Alle löschen|Tout supprimer|Eliminar todo
Delete file|Datei löschen|Supprimer le fichier|Eliminar archivo
Delete permanently|Endgültig löschen|Supprimer définitivement|Eliminar definitivamente
Deselect all|Auswahl aufheben|Tout désélectionner|Anular selección
Discard changes|Änderungen verwerfen|Annuler les modifications|Descartar cambios
Don't allow|Nicht zulassen|Ne pas autoriser|No permitir
Don't ask again|Nicht mehr fragen|Ne plus demander|No volver a preguntar
Don't save|Nicht speichern|Ne pas enregistrer|No guardar
Don't show again|Nicht mehr anzeigen|Ne plus afficher|No volver a mostrar
Donate|Spenden|Faire un don|Donar
Download file|Datei herunterladen|Télécharger le fichier|Descargar archivo
Drag and drop|Ziehen und Ablegen|Glisser-déposer|Arrastrar y soltar
Edit profile|Profil bearbeiten|Modifier le profil|Editar perfil
Empty trash|Papierkorb leeren|Vider la corbeille|Vaciar papelera
Enter|Eingeben|Saisir|Introducir
Execute|Ausführen|Exécuter|Ejecutar
Expand all|Alle ausklappen|Tout développer|Expandir todo
Extract|Entpacken|Extraire|Extraer
Find and replace|Suchen und Ersetzen|Rechercher et remplacer|Buscar y reemplazar
Find in files|In Dateien suchen|Rechercher dans les fichiers|Buscar en archivos
Find next|Weitersuchen|Rechercher le suivant|Buscar siguiente
Find previous|Rückwärts suchen|Rechercher le précédent|Buscar anterior
Flip|Spiegeln|Retourner|Voltear
Follow|Folgen|Suivre|Seguir
Forgot password|Passwort vergessen|Mot de passe oublié|Contraseña olvidada
Forgot your password?|Passwort vergessen?|Mot de passe oublié ?|¿Olvidó su contraseña?
Generate|Erzeugen|Générer|Generar
Get started|Loslegen|Commencer|Empezar
Go|Los|Aller|Ir
Go back|Zurück|Revenir|Volver
Go to|Gehe zu|Aller à|Ir a
Go to file|Gehe zu Datei|Aller au fichier|Ir al archivo
Go to line|Gehe zu Zeile|Aller à la ligne|Ir a la línea
Hide password|Passwort verbergen|Masquer le mot de passe|Ocultar contraseña
Ignore|Ignorieren|Ignorer|Ignorar
Increase|Erhöhen|Augmenter|Aumentar
Increase indent|Einzug vergrößern|Augmenter le retrait|Aumentar sangría
Join|Beitreten|Rejoindre|Unirse
Jump to|Springen zu|Aller à|Saltar a
Keep|Behalten|Conserver|Conservar
Later|Später|Plus tard|Más tarde
Launch|Starten|Lancer|Iniciar
Leave|Verlassen|Quitter|Salir
Leave fullscreen|Vollbild verlassen|Quitter le plein écran|Salir de pantalla completa
Like|Gefällt mir|J'aime|Me gusta
Load|Laden|Charger|Cargar
Mark all as read|Alle als gelesen markieren|Tout marquer comme lu|Marcar todo como leído
Mark as read|Als gelesen markieren|Marquer comme lu|Marcar como leído
Mark as unread|Als ungelesen markieren|Marquer comme non lu|Marcar como no leído
Maximize|Maximieren|Agrandir|Maximizar
Merge|Zusammenführen|Fusionner|Combinar
Minimize|Minimieren|Réduire|Minimizar
Mount|Einhängen|Monter|Montar
Move down|Nach unten|Descendre|Bajar
Move left|Nach links|Déplacer à gauche|Mover a la izquierda
Move right|Nach rechts|Déplacer à droite|Mover a la derecha
Move to|Verschieben nach|Déplacer vers|Mover a
Move to trash|In den Papierkorb|Mettre à la corbeille|Mover a la papelera
Move up|Nach oben|Monter|Subir
Mute|Stummschalten|Désactiver le son|Silenciar
New project|Neues Projekt|Nouveau projet|Nuevo proyecto
New tab|Neuer Tab|Nouvel onglet|Nueva pestaña
New window|Neues Fenster|Nouvelle fenêtre|Nueva ventana
No, thanks|Nein, danke|Non, merci|No, gracias
Not now|Jetzt nicht|Pas maintenant|Ahora no
Open a file|Datei öffnen|Ouvrir un fichier|Abrir un archivo
Open folder|Ordner öffnen|Ouvrir un dossier|Abrir carpeta
Open in a new tab|In neuem Tab öffnen|Ouvrir dans un nouvel onglet|Abrir en una pestaña nueva
Open in new tab|In neuem Tab öffnen|Ouvrir dans un nouvel onglet|Abrir en pestaña nueva
Open in new window|In neuem Fenster öffnen|Ouvrir dans une nouvelle fenêtre|Abrir en ventana nueva
Open link|Link öffnen|Ouvrir le lien|Abrir enlace
Open recent|Zuletzt geöffnet|Ouvrir un fichier récent|Abrir recientes
Open settings|Einstellungen öffnen|Ouvrir les paramètres|Abrir configuración
Open with|Öffnen mit|Ouvrir avec|Abrir con
Overwrite|Überschreiben|Écraser|Sobrescribir
Paste into folder|In den Ordner einfügen|Coller dans le dossier|Pegar en la carpeta
Pay|Bezahlen|Payer|Pagar
Pin|Anheften|Épingler|Fijar
Place order|Bestellung aufgeben|Passer la commande|Realizar pedido
Post|Veröffentlichen|Publier|Publicar
Press any key|Beliebige Taste drücken|Appuyez sur une touche|Pulse cualquier tecla
Print preview|Druckvorschau|Aperçu avant impression|Vista previa de impresión
Proceed|Fortfahren|Continuer|Continuar
Reconnect|Erneut verbinden|Se reconnecter|Volver a conectar
Record|Aufnehmen|Enregistrer|Grabar
Remind me later|Später erinnern|Me le rappeler plus tard|Recordármelo más tarde
Remove all|Alle entfernen|Tout supprimer|Quitar todo
Repeat|Wiederholen|Répéter|Repetir
Report a bug|Fehler melden|Signaler un bug|Informar de un error
Report issue|Problem melden|Signaler un problème|Informar de un problema
Request|Anfordern|Demander|Solicitar
Resend|Erneut senden|Renvoyer|Reenviar
Reset settings|Einstellungen zurücksetzen|Réinitialiser les paramètres|Restablecer configuración
Reset to default|Auf Standard zurücksetzen|Rétablir les valeurs par défaut|Restablecer valores predeterminados
Reset zoom|Zoom zurücksetzen|Réinitialiser le zoom|Restablecer zoom
Resolve|Lösen|Résoudre|Resolver
Restart now|Jetzt neu starten|Redémarrer maintenant|Reiniciar ahora
Resume|Fortsetzen|Reprendre|Reanudar
Return|Zurück|Retour|Volver
Revert|Zurücksetzen|Rétablir|Revertir
Review|Überprüfen|Vérifier|Revisar
Rotate left|Nach links drehen|Pivoter à gauche|Girar a la izquierda
Rotate right|Nach rechts drehen|Pivoter à droite|Girar a la derecha
Save a copy|Kopie speichern|Enregistrer une copie|Guardar una copia
Save all|Alle speichern|Tout enregistrer|Guardar todo
Save and close|Speichern und schließen|Enregistrer et fermer|Guardar y cerrar
Save draft|Entwurf speichern|Enregistrer le brouillon|Guardar borrador
Save file|Datei speichern|Enregistrer le fichier|Guardar archivo
Save image|Bild speichern|Enregistrer l'image|Guardar imagen
Save settings|Einstellungen speichern|Enregistrer les paramètres|Guardar configuración
Scan|Scannen|Numériser|Escanear
Schedule|Planen|Planifier|Programar
Scroll down|Nach unten scrollen|Défiler vers le bas|Desplazar hacia abajo
Scroll up|Nach oben scrollen|Défiler vers le haut|Desplazar hacia arriba
Select a file|Datei auswählen|Sélectionner un fichier|Seleccione un archivo
Select a language|Sprache auswählen|Sélectionner une langue|Seleccione un idioma
Select application|Anwendung auswählen|Sélectionner une application|Seleccionar aplicación
Select file|Datei auswählen|Sélectionner un fichier|Seleccionar archivo
Select files|Dateien auswählen|Sélectionner des fichiers|Seleccionar archivos
Select folder|Ordner auswählen|Sélectionner un dossier|Seleccionar carpeta
Select language|Sprache auswählen|Sélectionner la langue|Seleccionar idioma
Select none|Nichts auswählen|Ne rien sélectionner|No seleccionar nada
Send feedback|Rückmeldung senden|Envoyer des commentaires|Enviar comentarios
Send message|Nachricht senden|Envoyer le message|Enviar mensaje
Send to|Senden an|Envoyer vers|Enviar a
Set|Festlegen|Définir|Establecer
Set as background|Als Hintergrund festlegen|Définir comme arrière-plan|Establecer como fondo
Set as default|Als Standard festlegen|Définir par défaut|Establecer como predeterminado
Set password|Passwort festlegen|Définir le mot de passe|Establecer contraseña
Shop|Einkaufen|Boutique|Tienda
Show help|Hilfe anzeigen|Afficher l'aide|Mostrar ayuda
Show hidden files|Versteckte Dateien anzeigen|Afficher les fichiers cachés|Mostrar archivos ocultos
Show in folder|Im Ordner anzeigen|Afficher dans le dossier|Mostrar en la carpeta
Show log|Protokoll anzeigen|Afficher le journal|Mostrar registro
Show output|Ausgabe anzeigen|Afficher la sortie|Mostrar salida
Show password|Passwort anzeigen|Afficher le mot de passe|Mostrar contraseña
Show toolbar|Werkzeugleiste anzeigen|Afficher la barre d'outils|Mostrar barra de herramientas
Shuffle|Zufallswiedergabe|Lecture aléatoire|Reproducción aleatoria
Shut down|Herunterfahren|Éteindre|Apagar
Sign in with email|Mit E-Mail anmelden|Se connecter par e-mail|Iniciar sesión con correo electrónico
Skip all|Alle überspringen|Tout ignorer|Omitir todo
Sort|Sortieren|Trier|Ordenar
Sort ascending|Aufsteigend sortieren|Tri croissant|Orden ascendente
Sort descending|Absteigend sortieren|Tri décroissant|Orden descendente
Split|Teilen|Fractionner|Dividir
Start now|Jetzt starten|Démarrer maintenant|Iniciar ahora
Subscribe|Abonnieren|S'abonner|Suscribirse
Suspend|Anhalten|Suspendre|Suspender
Swap|Tauschen|Permuter|Intercambiar
Switch|Wechseln|Changer|Cambiar
Switch account|Konto wechseln|Changer de compte|Cambiar de cuenta
Sync|Synchronisieren|Synchroniser|Sincronizar
Synchronize|Synchronisieren|Synchroniser|Sincronizar
Take a photo|Foto aufnehmen|Prendre une photo|Hacer una foto
Take photo|Foto aufnehmen|Prendre une photo|Hacer foto
Terminate|Beenden|Terminer|Terminar
Toggle|Umschalten|Basculer|Alternar
Toggle fullscreen|Vollbild umschalten|Basculer en plein écran|Alternar pantalla completa
Turn off|Ausschalten|Désactiver|Desactivar
Turn on|Einschalten|Activer|Activar
Unblock|Blockierung aufheben|Débloquer|Desbloquear
Unfollow|Nicht mehr folgen|Ne plus suivre|Dejar de seguir
Unmount|Aushängen|Démonter|Desmontar
Unmute|Stummschaltung aufheben|Réactiver le son|Activar sonido
Unpin|Lösen|Désépingler|Desfijar
Unselect all|Auswahl aufheben|Tout désélectionner|Anular selección
Unsubscribe|Abmelden|Se désabonner|Cancelar suscripción
Update now|Jetzt aktualisieren|Mettre à jour maintenant|Actualizar ahora
Upgrade|Upgrade durchführen|Mettre à niveau|Mejorar
Upload file|Datei hochladen|Téléverser un fichier|Subir archivo
Upload files|Dateien hochladen|Téléverser des fichiers|Subir archivos
Upload image|Bild hochladen|Téléverser une image|Subir imagen
Use default|Standard verwenden|Utiliser la valeur par défaut|Usar valor predeterminado
Validate|Prüfen|Valider|Validar
Verify|Bestätigen|Vérifier|Verificar
View all|Alle anzeigen|Tout afficher|Ver todo
View details|Details anzeigen|Afficher les détails|Ver detalles
View more|Mehr anzeigen|Afficher plus|Ver más
View profile|Profil anzeigen|Afficher le profil|Ver perfil
Watch|Beobachten|Surveiller|Observar
Write|Schreiben|Écrire|Escribir
`;
