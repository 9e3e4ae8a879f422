/** Where the translate interface is mounted. */

/** Mount points of the interface; all but the first are the custom-endpoint form, old and new. */
export const translatorBases = [
	'',
	'/translator/text/v3.0',
	'/:endpoint{cognitiveservices[A-Za-z0-9.-]*}/translator/text/v3.0',
	'/translator/text',
	'/:endpoint{cognitiveservices[A-Za-z0-9.-]*}/translator/text',
] as const;

/**
 * The same operations for the user's own programs (command line, editor, studio): they show the
 * daemon's key, so what is demanded of callers from elsewhere does not concern them.
 */
export const privateTranslatorBase = '/nearglot/translator';

/** Paths of the operations below each mount point. */
export const translatorOperations = [
	'translate',
	'languages',
	'detect',
	'breaksentence',
	'transliterate',
	'dictionary/lookup',
	'dictionary/examples',
] as const;
const ownPaths = new RegExp(
	`^(?:/cognitiveservices[A-Za-z0-9.-]*)?(?:/translator/text(?:/v3\\.0)?)?/(?:${translatorOperations.join('|')})$|^(?:/cognitiveservices[A-Za-z0-9.-]*)?/sts/v1\\.0/issueToken$|^/libretranslate/\\w+$`,
	'i',
);

/** Whether a path checks its callers itself, in the manner of the translate interface. */
export function isTranslatorPath(path: string): boolean {
	return ownPaths.test(path);
}
