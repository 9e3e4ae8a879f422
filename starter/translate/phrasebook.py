"""Everyday phrases and short interface texts in four languages, by hand: English | German | French | Spanish."""

PHRASES = """
Good morning.|Guten Morgen.|Bonjour.|Buenos días.
Good evening.|Guten Abend.|Bonsoir.|Buenas tardes.
Good night.|Gute Nacht.|Bonne nuit.|Buenas noches.
Hello, how are you?|Hallo, wie geht es dir?|Bonjour, comment vas-tu ?|Hola, ¿cómo estás?
Hello world!|Hallo Welt!|Bonjour le monde !|¡Hola, mundo!
I am fine, thank you.|Mir geht es gut, danke.|Je vais bien, merci.|Estoy bien, gracias.
Thank you very much.|Vielen Dank.|Merci beaucoup.|Muchas gracias.
You're welcome.|Gern geschehen.|De rien.|De nada.
Please.|Bitte.|S'il vous plaît.|Por favor.
Excuse me.|Entschuldigung.|Excusez-moi.|Disculpe.
I'm sorry.|Es tut mir leid.|Je suis désolé.|Lo siento.
See you tomorrow.|Bis morgen.|À demain.|Hasta mañana.
See you later.|Bis später.|À plus tard.|Hasta luego.
Goodbye.|Auf Wiedersehen.|Au revoir.|Adiós.
Yes, of course.|Ja, natürlich.|Oui, bien sûr.|Sí, por supuesto.
No, thank you.|Nein, danke.|Non, merci.|No, gracias.
What is your name?|Wie heißt du?|Comment t'appelles-tu ?|¿Cómo te llamas?
My name is Tom.|Ich heiße Tom.|Je m'appelle Tom.|Me llamo Tom.
Where do you live?|Wo wohnst du?|Où habites-tu ?|¿Dónde vives?
How old are you?|Wie alt bist du?|Quel âge as-tu ?|¿Cuántos años tienes?
I am twenty years old.|Ich bin zwanzig Jahre alt.|J'ai vingt ans.|Tengo veinte años.
What time is it?|Wie spät ist es?|Quelle heure est-il ?|¿Qué hora es?
It is late.|Es ist spät.|Il est tard.|Es tarde.
It is raining.|Es regnet.|Il pleut.|Está lloviendo.
It is snowing.|Es schneit.|Il neige.|Está nevando.
It is cold today.|Es ist heute kalt.|Il fait froid aujourd'hui.|Hoy hace frío.
It is very hot.|Es ist sehr heiß.|Il fait très chaud.|Hace mucho calor.
The weather is nice today.|Das Wetter ist heute schön.|Il fait beau aujourd'hui.|Hoy hace buen tiempo.
How much does it cost?|Wie viel kostet es?|Combien ça coûte ?|¿Cuánto cuesta?
Where is the station?|Wo ist der Bahnhof?|Où est la gare ?|¿Dónde está la estación?
I don't know.|Ich weiß es nicht.|Je ne sais pas.|No lo sé.
I don't understand.|Ich verstehe nicht.|Je ne comprends pas.|No entiendo.
Can you help me?|Kannst du mir helfen?|Peux-tu m'aider ?|¿Puedes ayudarme?
Could you repeat that, please?|Könnten Sie das bitte wiederholen?|Pourriez-vous répéter, s'il vous plaît ?|¿Podría repetirlo, por favor?
Do you speak English?|Sprichst du Englisch?|Parles-tu anglais ?|¿Hablas inglés?
I love you.|Ich liebe dich.|Je t'aime.|Te quiero.
I am hungry.|Ich habe Hunger.|J'ai faim.|Tengo hambre.
I am thirsty.|Ich habe Durst.|J'ai soif.|Tengo sed.
I like music.|Ich mag Musik.|J'aime la musique.|Me gusta la música.
I like this book.|Ich mag dieses Buch.|J'aime ce livre.|Me gusta este libro.
She likes cats.|Sie mag Katzen.|Elle aime les chats.|A ella le gustan los gatos.
We like to travel.|Wir reisen gern.|Nous aimons voyager.|Nos gusta viajar.
Happy birthday!|Alles Gute zum Geburtstag!|Joyeux anniversaire !|¡Feliz cumpleaños!
Have a nice day.|Einen schönen Tag noch.|Bonne journée.|Que tengas un buen día.
Congratulations!|Herzlichen Glückwunsch!|Félicitations !|¡Felicidades!
Good luck!|Viel Glück!|Bonne chance !|¡Buena suerte!
What is this?|Was ist das?|Qu'est-ce que c'est ?|¿Qué es esto?
Who is that?|Wer ist das?|Qui est-ce ?|¿Quién es?
What are you doing?|Was machst du?|Que fais-tu ?|¿Qué estás haciendo?
What happened?|Was ist passiert?|Que s'est-il passé ?|¿Qué ha pasado?
That is not true.|Das ist nicht wahr.|Ce n'est pas vrai.|Eso no es verdad.
That's a good idea.|Das ist eine gute Idee.|C'est une bonne idée.|Es una buena idea.
It doesn't matter.|Das macht nichts.|Ça ne fait rien.|No importa.
I think so.|Ich glaube schon.|Je crois que oui.|Creo que sí.
I have no idea.|Ich habe keine Ahnung.|Je n'en ai aucune idée.|No tengo ni idea.
Everything is fine.|Alles ist in Ordnung.|Tout va bien.|Todo está bien.
The house is big.|Das Haus ist groß.|La maison est grande.|La casa es grande.
The car is red.|Das Auto ist rot.|La voiture est rouge.|El coche es rojo.
The book is on the table.|Das Buch liegt auf dem Tisch.|Le livre est sur la table.|El libro está sobre la mesa.
The cat is sleeping.|Die Katze schläft.|Le chat dort.|El gato está durmiendo.
The dog is barking.|Der Hund bellt.|Le chien aboie.|El perro está ladrando.
The sun is shining.|Die Sonne scheint.|Le soleil brille.|El sol brilla.
The train leaves at eight o'clock.|Der Zug fährt um acht Uhr ab.|Le train part à huit heures.|El tren sale a las ocho.
My phone is broken.|Mein Telefon ist kaputt.|Mon téléphone est cassé.|Mi teléfono está roto.
There is a problem.|Es gibt ein Problem.|Il y a un problème.|Hay un problema.
Is there a bank near here?|Gibt es hier in der Nähe eine Bank?|Y a-t-il une banque près d'ici ?|¿Hay un banco cerca de aquí?
I would like a coffee, please.|Ich hätte gern einen Kaffee, bitte.|Je voudrais un café, s'il vous plaît.|Quisiera un café, por favor.
I was born in Paris.|Ich bin in Paris geboren.|Je suis né à Paris.|Nací en París.
Let's go!|Gehen wir!|Allons-y !|¡Vamos!
Don't worry.|Mach dir keine Sorgen.|Ne t'inquiète pas.|No te preocupes.
Be careful!|Sei vorsichtig!|Fais attention !|¡Ten cuidado!
Wait a moment, please.|Warte bitte einen Moment.|Attends un instant, s'il te plaît.|Espera un momento, por favor.
Come here.|Komm her.|Viens ici.|Ven aquí.
Open the door.|Öffne die Tür.|Ouvre la porte.|Abre la puerta.
Close the window.|Schließ das Fenster.|Ferme la fenêtre.|Cierra la ventana.
Give me the book.|Gib mir das Buch.|Donne-moi le livre.|Dame el libro.
Tell me the truth.|Sag mir die Wahrheit.|Dis-moi la vérité.|Dime la verdad.
I have already eaten.|Ich habe schon gegessen.|J'ai déjà mangé.|Ya he comido.
She has two brothers.|Sie hat zwei Brüder.|Elle a deux frères.|Tiene dos hermanos.
He works in a bank.|Er arbeitet bei einer Bank.|Il travaille dans une banque.|Trabaja en un banco.
They have gone home.|Sie sind nach Hause gegangen.|Ils sont rentrés chez eux.|Se han ido a casa.
I got up at six o'clock.|Ich bin um sechs Uhr aufgestanden.|Je me suis levé à six heures.|Me levanté a las seis.
The meeting starts at ten.|Die Besprechung beginnt um zehn.|La réunion commence à dix heures.|La reunión empieza a las diez.
Thank you for your help.|Danke für deine Hilfe.|Merci pour ton aide.|Gracias por tu ayuda.
Thank you for your message.|Danke für Ihre Nachricht.|Merci pour votre message.|Gracias por su mensaje.
I will call you tomorrow.|Ich rufe dich morgen an.|Je t'appellerai demain.|Te llamaré mañana.
Yes|Ja|Oui|Sí
No|Nein|Non|No
OK|OK|OK|Aceptar
Cancel|Abbrechen|Annuler|Cancelar
Save|Speichern|Enregistrer|Guardar
Save as ...|Speichern unter ...|Enregistrer sous...|Guardar como...
Open|Öffnen|Ouvrir|Abrir
Close|Schließen|Fermer|Cerrar
Delete|Löschen|Supprimer|Eliminar
Edit|Bearbeiten|Modifier|Editar
Copy|Kopieren|Copier|Copiar
Paste|Einfügen|Coller|Pegar
Cut|Ausschneiden|Couper|Cortar
Undo|Rückgängig|Annuler|Deshacer
Redo|Wiederholen|Rétablir|Rehacer
Search|Suchen|Rechercher|Buscar
Replace|Ersetzen|Remplacer|Reemplazar
Help|Hilfe|Aide|Ayuda
Settings|Einstellungen|Paramètres|Configuración
Back|Zurück|Retour|Atrás
Next|Weiter|Suivant|Siguiente
Previous|Zurück|Précédent|Anterior
Finish|Fertig stellen|Terminer|Finalizar
Apply|Übernehmen|Appliquer|Aplicar
Retry|Wiederholen|Réessayer|Reintentar
Details|Details|Détails|Detalles
Error|Fehler|Erreur|Error
Warning|Warnung|Avertissement|Advertencia
Information|Information|Information|Información
Loading ...|Wird geladen ...|Chargement...|Cargando...
Please wait ...|Bitte warten ...|Veuillez patienter...|Espere...
Done.|Fertig.|Terminé.|Listo.
Access denied.|Zugriff verweigert.|Accès refusé.|Acceso denegado.
Out of memory.|Nicht genügend Arbeitsspeicher.|Mémoire insuffisante.|Memoria insuficiente.
An unknown error occurred.|Ein unbekannter Fehler ist aufgetreten.|Une erreur inconnue s'est produite.|Se produjo un error desconocido.
An unexpected error occurred.|Ein unerwarteter Fehler ist aufgetreten.|Une erreur inattendue s'est produite.|Se produjo un error inesperado.
The operation was cancelled.|Der Vorgang wurde abgebrochen.|L'opération a été annulée.|La operación se ha cancelado.
The operation completed successfully.|Der Vorgang wurde erfolgreich abgeschlossen.|L'opération s'est terminée correctement.|La operación se completó correctamente.
The operation failed.|Fehler beim Vorgang.|L'opération a échoué.|Error en la operación.
Not enough disk space.|Nicht genügend Speicherplatz.|Espace disque insuffisant.|No hay suficiente espacio en disco.
Press any key to continue.|Drücken Sie eine beliebige Taste, um fortzufahren.|Appuyez sur une touche pour continuer.|Presione cualquier tecla para continuar.
Please try again later.|Bitte versuchen Sie es später erneut.|Veuillez réessayer plus tard.|Inténtelo de nuevo más tarde.
Check your internet connection.|Überprüfen Sie Ihre Internetverbindung.|Vérifiez votre connexion Internet.|Compruebe su conexión a Internet.
The user name or password is incorrect.|Der Benutzername oder das Kennwort ist falsch.|Le nom d'utilisateur ou le mot de passe est incorrect.|El nombre de usuario o la contraseña no son correctos.
You are now signed in.|Sie sind jetzt angemeldet.|Vous êtes maintenant connecté.|Ha iniciado sesión.
Sign in|Anmelden|Se connecter|Iniciar sesión
Sign out|Abmelden|Se déconnecter|Cerrar sesión
Nothing to do.|Es gibt nichts zu tun.|Rien à faire.|No hay nada que hacer.
Changes were saved.|Die Änderungen wurden gespeichert.|Les modifications ont été enregistrées.|Se guardaron los cambios.
Do you want to save your changes?|Möchten Sie Ihre Änderungen speichern?|Voulez-vous enregistrer vos modifications ?|¿Desea guardar los cambios?
This cannot be undone.|Dies kann nicht rückgängig gemacht werden.|Cette action est irréversible.|Esta acción no se puede deshacer.
Restart the editor to apply the changes.|Starten Sie den Editor neu, um die Änderungen zu übernehmen.|Redémarrez l'éditeur pour appliquer les modifications.|Reinicie el editor para aplicar los cambios.
The quick brown fox jumps over the lazy dog.|Der schnelle braune Fuchs springt über den faulen Hund.|Le rapide renard brun saute par-dessus le chien paresseux.|El rápido zorro marrón salta sobre el perro perezoso.
"""

# comments, commit messages, documentation and more of everyday life
MORE_PHRASES = """
Click here to continue.|Klicken Sie hier, um fortzufahren.|Cliquez ici pour continuer.|Haga clic aquí para continuar.
Click the button to start the download.|Klicken Sie auf die Schaltfläche, um den Download zu starten.|Cliquez sur le bouton pour lancer le téléchargement.|Haga clic en el botón para iniciar la descarga.
The server is not responding. Try again later.|Der Server antwortet nicht. Versuchen Sie es später erneut.|Le serveur ne répond pas. Réessayez plus tard.|El servidor no responde. Inténtelo de nuevo más tarde.
Do not edit this file by hand.|Diese Datei nicht von Hand bearbeiten.|Ne modifiez pas ce fichier à la main.|No edite este archivo a mano.
This file is generated automatically.|Diese Datei wird automatisch erzeugt.|Ce fichier est généré automatiquement.|Este archivo se genera automáticamente.
Hello world|Hallo Welt|Bonjour le monde|Hola, mundo
How are you today?|Wie geht es dir heute?|Comment vas-tu aujourd'hui ?|¿Cómo estás hoy?
How are you?|Wie geht es Ihnen?|Comment allez-vous ?|¿Cómo está usted?
Good morning, everyone!|Guten Morgen zusammen!|Bonjour à tous !|¡Buenos días a todos!
Welcome!|Willkommen!|Bienvenue !|¡Bienvenido!
We need to talk about this tomorrow.|Wir müssen morgen darüber sprechen.|Nous devons en parler demain.|Tenemos que hablar de esto mañana.
I will send you the file tomorrow.|Ich schicke dir die Datei morgen.|Je t'enverrai le fichier demain.|Te enviaré el archivo mañana.
I don't have time today.|Ich habe heute keine Zeit.|Je n'ai pas le temps aujourd'hui.|Hoy no tengo tiempo.
I don't know where he lives.|Ich weiß nicht, wo er wohnt.|Je ne sais pas où il habite.|No sé dónde vive.
I agree with you.|Ich stimme dir zu.|Je suis d'accord avec toi.|Estoy de acuerdo contigo.
What do you think?|Was meinst du?|Qu'en penses-tu ?|¿Qué te parece?
It works on my machine.|Auf meinem Rechner funktioniert es.|Ça marche sur ma machine.|En mi máquina funciona.
It does not work.|Es funktioniert nicht.|Ça ne marche pas.|No funciona.
It works now.|Jetzt funktioniert es.|Ça marche maintenant.|Ahora funciona.
This is a test.|Das ist ein Test.|Ceci est un test.|Esto es una prueba.
This is only an example.|Das ist nur ein Beispiel.|Ce n'est qu'un exemple.|Esto es solo un ejemplo.
Something went wrong.|Etwas ist schiefgegangen.|Une erreur s'est produite.|Algo ha salido mal.
Please try again.|Bitte versuchen Sie es erneut.|Veuillez réessayer.|Inténtelo de nuevo.
Are you sure?|Sind Sie sicher?|Êtes-vous sûr ?|¿Está seguro?
The user is logged in.|Der Benutzer ist angemeldet.|L'utilisateur est connecté.|El usuario ha iniciado sesión.
The user is not logged in.|Der Benutzer ist nicht angemeldet.|L'utilisateur n'est pas connecté.|El usuario no ha iniciado sesión.
Check whether the user is logged in.|Prüfen, ob der Benutzer angemeldet ist.|Vérifier si l'utilisateur est connecté.|Comprobar si el usuario ha iniciado sesión.
This function checks whether the user is logged in.|Diese Funktion prüft, ob der Benutzer angemeldet ist.|Cette fonction vérifie si l'utilisateur est connecté.|Esta función comprueba si el usuario ha iniciado sesión.
Please save your changes before closing the window.|Bitte speichern Sie Ihre Änderungen, bevor Sie das Fenster schließen.|Veuillez enregistrer vos modifications avant de fermer la fenêtre.|Guarde los cambios antes de cerrar la ventana.
TODO: remove this workaround when the bug is fixed|TODO: diese Behelfslösung entfernen, wenn der Fehler behoben ist|TODO : supprimer ce contournement lorsque le bogue sera corrigé|TODO: quitar esta solución provisional cuando se corrija el error
Fix a typo|Tippfehler korrigieren|Corriger une faute de frappe|Corregir una errata
Update the documentation|Dokumentation aktualisieren|Mettre à jour la documentation|Actualizar la documentación
Add unit tests|Komponententests hinzufügen|Ajouter des tests unitaires|Añadir pruebas unitarias
Improve the performance|Leistung verbessern|Améliorer les performances|Mejorar el rendimiento
Remove unused code|Nicht verwendeten Code entfernen|Supprimer le code inutilisé|Eliminar el código no usado
Fix the build|Build reparieren|Réparer la compilation|Arreglar la compilación
First commit|Erster Commit|Premier commit|Primer commit
Getting started|Erste Schritte|Premiers pas|Primeros pasos
Installation|Installation|Installation|Instalación
Usage|Verwendung|Utilisation|Uso
Contributing|Mitwirken|Contribuer|Contribuir
License|Lizenz|Licence|Licencia
Requirements|Voraussetzungen|Prérequis|Requisitos
Known issues|Bekannte Probleme|Problèmes connus|Problemas conocidos
See the documentation for more information.|Weitere Informationen finden Sie in der Dokumentation.|Consultez la documentation pour plus d'informations.|Consulte la documentación para obtener más información.
Install the dependencies first.|Installieren Sie zuerst die Abhängigkeiten.|Installez d'abord les dépendances.|Instale primero las dependencias.
Run the following command:|Führen Sie den folgenden Befehl aus:|Exécutez la commande suivante :|Ejecute el siguiente comando:
The following example shows how to use it.|Das folgende Beispiel zeigt die Verwendung.|L'exemple suivant montre comment l'utiliser.|El siguiente ejemplo muestra cómo usarlo.
This project is open source.|Dieses Projekt ist Open Source.|Ce projet est open source.|Este proyecto es de código abierto.
Contributions are welcome.|Beiträge sind willkommen.|Les contributions sont les bienvenues.|Las contribuciones son bienvenidas.
Not yet implemented.|Noch nicht implementiert.|Pas encore implémenté.|Aún no implementado.
This should never happen.|Das sollte nie vorkommen.|Cela ne devrait jamais arriver.|Esto no debería ocurrir nunca.
The input must not be empty.|Die Eingabe darf nicht leer sein.|L'entrée ne doit pas être vide.|La entrada no debe estar vacía.
The result is cached.|Das Ergebnis wird zwischengespeichert.|Le résultat est mis en cache.|El resultado se guarda en caché.
The list is sorted by name.|Die Liste ist nach Namen sortiert.|La liste est triée par nom.|La lista está ordenada por nombre.
Loop over all elements.|Alle Elemente durchlaufen.|Parcourir tous les éléments.|Recorrer todos los elementos.
The password is too short.|Das Kennwort ist zu kurz.|Le mot de passe est trop court.|La contraseña es demasiado corta.
Forgot your password?|Kennwort vergessen?|Mot de passe oublié ?|¿Olvidó su contraseña?
Your session has expired. Please sign in again.|Ihre Sitzung ist abgelaufen. Bitte melden Sie sich erneut an.|Votre session a expiré. Veuillez vous reconnecter.|Su sesión ha caducado. Inicie sesión de nuevo.
Thank you for your patience.|Vielen Dank für Ihre Geduld.|Merci de votre patience.|Gracias por su paciencia.
Kind regards|Mit freundlichen Grüßen|Cordialement|Saludos cordiales
Dear Sir or Madam,|Sehr geehrte Damen und Herren,|Madame, Monsieur,|Estimados señores:
See you on Monday.|Bis Montag.|À lundi.|Hasta el lunes.
What is the weather like today?|Wie ist das Wetter heute?|Quel temps fait-il aujourd'hui ?|¿Qué tiempo hace hoy?
Can I help you?|Kann ich Ihnen helfen?|Puis-je vous aider ?|¿Puedo ayudarle?
I am looking for the station.|Ich suche den Bahnhof.|Je cherche la gare.|Busco la estación.
Turn left at the next street.|Biegen Sie an der nächsten Straße links ab.|Tournez à gauche à la prochaine rue.|Gire a la izquierda en la próxima calle.
The bill, please.|Die Rechnung, bitte.|L'addition, s'il vous plaît.|La cuenta, por favor.
I don't feel well.|Ich fühle mich nicht wohl.|Je ne me sens pas bien.|No me siento bien.
We are on holiday.|Wir sind im Urlaub.|Nous sommes en vacances.|Estamos de vacaciones.
She has been living here for ten years.|Sie wohnt seit zehn Jahren hier.|Elle habite ici depuis dix ans.|Vive aquí desde hace diez años.
He is older than me.|Er ist älter als ich.|Il est plus âgé que moi.|Es mayor que yo.
This book is very interesting.|Dieses Buch ist sehr interessant.|Ce livre est très intéressant.|Este libro es muy interesante.
The children are playing in the garden.|Die Kinder spielen im Garten.|Les enfants jouent dans le jardin.|Los niños juegan en el jardín.
Where are you from?|Woher kommst du?|D'où viens-tu ?|¿De dónde eres?
I come from Germany.|Ich komme aus Deutschland.|Je viens d'Allemagne.|Soy de Alemania.
What did you do yesterday?|Was hast du gestern gemacht?|Qu'as-tu fait hier ?|¿Qué hiciste ayer?
Monday|Montag|lundi|lunes
Tuesday|Dienstag|mardi|martes
Wednesday|Mittwoch|mercredi|miércoles
Thursday|Donnerstag|jeudi|jueves
Friday|Freitag|vendredi|viernes
Saturday|Samstag|samedi|sábado
Sunday|Sonntag|dimanche|domingo
red|rot|rouge|rojo
blue|blau|bleu|azul
green|grün|vert|verde
black|schwarz|noir|negro
white|weiß|blanc|blanco
dog|Hund|chien|perro
cat|Katze|chat|gato
house|Haus|maison|casa
water|Wasser|eau|agua
book|Buch|livre|libro
table|Tisch|table|mesa
friend|Freund|ami|amigo
day|Tag|jour|día
night|Nacht|nuit|noche
year|Jahr|année|año
"""
