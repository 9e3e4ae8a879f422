/** Texts of the recorder page; the value is what is translated. */

export const recorderStrings = {
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
	stopped: 'Transcribing the rest…',
	done: 'Done. The text is in the editor; you can close this page.',
	discarded: 'Discarded. You can close this page.',
	text: 'Text so far',
	denied:
		'The browser does not give the microphone to this page. Allow it in the settings of the site (the symbol beside the address) and start again.',
	missing: 'There is no microphone on this computer, or another program holds it.',
	expired:
		'This page was opened already, or its recording has ended. Start a new recording in the editor.',
} as const;
