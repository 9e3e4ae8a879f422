/** Texts of the studio page. */

/** English texts; the value is what is translated. */
export const studioStrings = {
	accessEnded:
		'This page was opened too long ago, or the server was started anew. Open it again with the command “Open Studio in Browser” of the editor, or enter the key here.',
	actions: 'Actions',
	add: 'Download',
	builtOf: 'built here of {0}',
	catalogue: 'Can be downloaded',
	chat: 'Chat',
	completion: 'Completion',
	context: 'Context',
	detect: 'Detect',
	detected: 'Detected: {0}',
	download: 'Downloading {0}: {1} %',
	embeddings: 'Embeddings',
	exportChat: 'Export',
	forWhat: 'For',
	from: 'From',
	gated: 'its terms must be accepted first',
	here: 'On this computer',
	html: 'HTML',
	hub: 'Words to look for on the hub',
	key: 'Key of this server',
	keyNeeded:
		'To add and remove models, open this page with the command “Open Studio in Browser” of the editor.',
	load: 'Load',
	metrics: 'Now',
	model: 'Model',
	models: 'Models',
	newChat: 'New chat',
	nothingOnHub: 'The hub has no model with these words that runs here.',
	onHub: 'On the hub',
	open: 'Open',
	ownersModels: 'Whoever runs this server adds, loads and removes its models.',
	remove: 'Delete',
	removeSure: 'Delete the files of {0}?',
	search: 'Search',
	signedOut:
		'Your session at this server has ended. Sign in in the new tab, then go on here: nothing you typed is lost.',
	signIn: 'Sign In',
	signOut: 'Sign Out',
	running: '{0} running, {1} waiting',
	size: 'Size',
	speech: 'Speech',
	state: 'State',
	stop: 'Stop',
	stateCached: 'on the disk',
	stateDownloading: 'downloading',
	stateLoaded: 'in memory',
	stateLoading: 'loading',
	stateMissing: 'not downloaded',
	text: 'Text',
	textHint: 'Text to translate',
	to: 'To',
	tools: 'Tools',
	transcribe: 'Transcribe',
	translate: 'Translate',
	translating: 'Translating …',
	translation: 'Translation',
	read: '{0} tokens read, {1} from the cache, {2} written',
	unload: 'Unload',
	voice: 'Voice Activity',
	cancelWork: 'Cancel',
	cancelled: 'Cancelled',
	chooseFile: 'Choose a File…',
	chooseFiles: 'Choose Files…',
	documentNote: 'Code, placeholders and markup stay as they are.',
	documents: 'Documents',
	documentsHint:
		'Drop documents here: Markdown, HTML, JSON, YAML, gettext, XLIFF, properties, subtitles, text',
	documentDone: '{0} of {1} texts translated',
	documentLeft:
		'{0} of {1} texts translated; of the others, all or some sentences stayed as they were',
	into: 'Into',
	record: 'Record',
	recordingHint: 'Drop a recording here. It goes to the computer of this server and no further.',
	save: 'Save',
	showText: 'Show the text',
	stopRecording: 'Stop {0}',
} as const;

export type StudioKey = keyof typeof studioStrings;

/** Texts of all pages that speak of this computer, and what stands in their place where models run elsewhere. */
export const whereModelsRun: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		'Models run on this computer. Nothing you write leaves it.':
			'What you write here goes to your team server.',
		'On this computer': 'On the team server',
		'This computer': 'Team server',
		'The recording is transcribed on this computer and does not leave it.':
			'The recording is transcribed on your team server.',
		'There is no speech model on this computer.': 'There is no speech model on the team server.',
	}),
);
