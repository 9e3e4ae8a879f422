/** Words of the recorder page, in the languages of the extension. */

const english = {
	title: 'Recording',
	start: 'Start recording',
	pause: 'Pause',
	resume: 'Go on',
	stop: 'Stop and use the text',
	discard: 'Discard',
	level: 'Level of the microphone',
	sent: 'Sent',
	ready:
		'The text goes to the editor that opened this page. The sound does not leave this computer.',
	asking: 'Allow the microphone in the question of your browser.',
	recording: 'Recording. Text appears in every pause.',
	silent: 'No sound comes from the microphone. Is it muted?',
	paused: 'Paused.',
	stopped: 'Writing down the rest…',
	done: 'Done. The text is in the editor; you can close this page.',
	discarded: 'Discarded. You can close this page.',
	text: 'Text so far',
	denied:
		'The browser does not give the microphone to this page. Allow it in the settings of the site (the symbol beside the address) and start again.',
	missing: 'There is no microphone on this computer, or another program holds it.',
	expired:
		'This page was opened already, or its recording has ended. Start a new recording in the editor.',
};

export type RecorderText = typeof english;

const texts: Readonly<Record<string, RecorderText>> = {
	en: english,
	de: {
		title: 'Aufnahme',
		start: 'Aufnahme beginnen',
		pause: 'Pause',
		resume: 'Fortsetzen',
		stop: 'Beenden und Text verwenden',
		discard: 'Verwerfen',
		level: 'Pegel des Mikrofons',
		sent: 'Gesendet',
		ready:
			'Der Text geht an den Editor, der diese Seite geöffnet hat. Der Ton verlässt diesen Rechner nicht.',
		asking: 'Erlauben Sie das Mikrofon in der Frage Ihres Browsers.',
		recording: 'Aufnahme läuft. In jeder Pause erscheint Text.',
		silent: 'Vom Mikrofon kommt kein Ton. Ist es stumm geschaltet?',
		paused: 'Angehalten.',
		stopped: 'Der Rest wird niedergeschrieben…',
		done: 'Fertig. Der Text steht im Editor; Sie können diese Seite schließen.',
		discarded: 'Verworfen. Sie können diese Seite schließen.',
		text: 'Bisheriger Text',
		denied:
			'Der Browser gibt dieser Seite das Mikrofon nicht. Erlauben Sie es in den Einstellungen der Website (Symbol neben der Adresse) und beginnen Sie noch einmal.',
		missing: 'Dieser Rechner hat kein Mikrofon, oder ein anderes Programm belegt es.',
		expired:
			'Diese Seite wurde schon geöffnet, oder ihre Aufnahme ist zu Ende. Beginnen Sie im Editor eine neue Aufnahme.',
	},
	fr: {
		title: 'Enregistrement',
		start: 'Commencer l’enregistrement',
		pause: 'Pause',
		resume: 'Reprendre',
		stop: 'Terminer et utiliser le texte',
		discard: 'Abandonner',
		level: 'Niveau du microphone',
		sent: 'Envoyé',
		ready: 'Le texte va à l’éditeur qui a ouvert cette page. Le son ne quitte pas cet ordinateur.',
		asking: 'Autorisez le microphone dans la question de votre navigateur.',
		recording: 'Enregistrement en cours. Le texte apparaît à chaque pause.',
		silent: 'Aucun son ne vient du microphone. Est-il coupé ?',
		paused: 'En pause.',
		stopped: 'Transcription de la fin…',
		done: 'Terminé. Le texte est dans l’éditeur ; vous pouvez fermer cette page.',
		discarded: 'Abandonné. Vous pouvez fermer cette page.',
		text: 'Texte jusqu’ici',
		denied:
			'Le navigateur ne donne pas le microphone à cette page. Autorisez-le dans les paramètres du site (symbole à côté de l’adresse) et recommencez.',
		missing: 'Cet ordinateur n’a pas de microphone, ou un autre programme l’occupe.',
		expired:
			'Cette page a déjà été ouverte, ou son enregistrement est terminé. Commencez un nouvel enregistrement dans l’éditeur.',
	},
	es: {
		title: 'Grabación',
		start: 'Empezar a grabar',
		pause: 'Pausa',
		resume: 'Continuar',
		stop: 'Terminar y usar el texto',
		discard: 'Descartar',
		level: 'Nivel del micrófono',
		sent: 'Enviado',
		ready: 'El texto va al editor que abrió esta página. El sonido no sale de este ordenador.',
		asking: 'Permita el micrófono en la pregunta de su navegador.',
		recording: 'Grabando. El texto aparece en cada pausa.',
		silent: 'No llega sonido del micrófono. ¿Está silenciado?',
		paused: 'En pausa.',
		stopped: 'Transcribiendo el resto…',
		done: 'Listo. El texto está en el editor; puede cerrar esta página.',
		discarded: 'Descartado. Puede cerrar esta página.',
		text: 'Texto hasta ahora',
		denied:
			'El navegador no da el micrófono a esta página. Permítalo en los ajustes del sitio (símbolo junto a la dirección) y empiece de nuevo.',
		missing: 'Este ordenador no tiene micrófono, u otro programa lo ocupa.',
		expired:
			'Esta página ya se abrió, o su grabación ha terminado. Empiece una nueva grabación en el editor.',
	},
};

/** The first language of the browser that is there. */
export function recorderText(languages: readonly string[]): {
	readonly code: string;
	readonly text: RecorderText;
} {
	for (const language of languages) {
		const code = language.slice(0, 2).toLowerCase();
		const text = texts[code];
		if (text) return { code, text };
	}
	return { code: 'en', text: english };
}
