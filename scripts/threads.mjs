/** The programs of threads: their name in dist/, and their source. Tests of sources start the built ones as well. */
export const threads = {
	'document-worker': 'server/translate/documents/documentWorker.ts',
	'language-worker': 'server/translate/languageWorker.ts',
	'text-worker': 'server/engine/text/textWorker.ts',
	'grammar-worker': 'server/engine/grammar/grammarWorker.ts',
	'body-worker': 'server/http/bodyWorker.ts',
	'answer-worker': 'server/services/responses/answerWorker.ts',
	'index-worker': 'server/lsp/workspace/indexWorker.ts',
	'folder-worker': 'server/daemon/folderWorker.ts',
	'image-worker': 'server/engine/vision/imageWorker.ts',
	'audio-worker': 'server/audio/decodeWorker.ts',
};
