/** Placeholders of every dialect, to be found again in a translation exactly as often. */

const pattern =
	/\{\{[^{}]*\}\}|\$\{[^{}]*\}|%\{[^{}]*\}|#\{[^{}]*\}|\{[^{}\s,]*(?:,[^{}]*)?\}|\$t\([^()]*\)|%\([A-Za-z_]\w*\)[#0 +-]*\d*(?:\.\d+)?[diouxXeEfFgGcrs]|%(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.\d+)?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcsp@](?![A-Za-z])|%[1-9](?!\d)|@:[\w.]+|<\/?[A-Za-z][^<>]*>|&(?:#\d+|#x[\da-f]+|\w+);/gi;

/** The placeholders of a text, sorted. */
export function placeholders(text: string): string[] {
	return (text.match(pattern) ?? []).sort();
}

/** Whether a translation has the same placeholders, each as often. */
export function samePlaceholders(source: string, translation: string): boolean {
	return placeholders(source).join('\n') === placeholders(translation).join('\n');
}

/** ICU messages with branches: their inner texts cannot be translated as one sentence. */
export function isIcuBranching(text: string): boolean {
	return /\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal)\s*,/.test(text);
}
