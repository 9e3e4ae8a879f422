/** Values of data files that are words for people, as against addresses, colours, identifiers, patterns and settings. */

const notProse =
	/^(?:[a-z][a-z\d+.-]*:\/\/\S*|#[\da-f]{3,8}|[\w.-]+\/[\w./-]*|[A-Z\d_]+|[\w-]+\.[\w.-]+)$/;
/** A symbol of Ruby; in a list each is a value of its own. */
const symbol = /^:[A-Za-z_]\w*[?!]?$/;
/** Conversions of strftime and of Rails' number formats: what is left of a pattern has no words. */
const conversions = /%[-_0^#]{0,3}\d{0,2}:{0,2}[A-Za-z%]/g;
/** Dates and times as CLDR, Java and Moment write them: `d. MMMM y`, `HH:mm`. */
const dateField =
	'(?:y{1,4}|Y{2,4}|[ML]{1,5}|d{1,4}|D{1,4}|E{1,5}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|S{1,3}|[aA]|z{1,4}|Z{1,5}|Do)';
const datePattern = new RegExp(
	`^${dateField}(?:(?:[\\s.,:/-]{1,3}|'[^']{0,20}')${dateField}){1,8}[.]?$`,
);
const direction = /^(?:ltr|rtl)$/i;
/** A path of Windows, whose folders may have blanks in their names. */
const windowsPath =
	/^(?:[A-Za-z]:|\\\\[\w.$-]+)\\(?:[^\s\\/:*?"<>|][^\\/:*?"<>|\n]{0,80}\\)*(?:[^\s\\/:*?"<>|][^\\/:*?"<>|\n]{0,80})?$/;
/** One word in small letters joined by hyphens, with something in it that only programs are called. */
const packageName =
	/^(?=.*(?:^|-)(?:npm|npx|js|ts|css|html|json|yaml|xml|sql|cli|eslint|babel|webpack|rollup|vite|react|vue|node|api|sdk|utils?|config|plugin|loader|parser|cache|env)(?:-|$))[a-z\d]+(?:-[a-z\d]+)+$|^@[a-z\d][\w.-]*\/[\w.-]+$/;

/** Keys whose values programs read: settings of Rails, i18next and others among messages. */
const settings =
	/^(?:direction|text_?direction|dir|charset|encoding|locale|lang|language_?code|date_?format|time_?format|delimiter|separator|precision|strip_insignificant_zeros|significant|raise|rule|general_\w+)$/i;
/** What such settings look like; a label of the same name is a word with a capital. */
const settingValue = /^[a-z\d][\w.:%/-]*$|^[^\p{L}]*$/u;

/**
 * Whether a value reads like words.
 *
 * @param keys Keys from the root to the value, where it has some.
 */
export function isProse(value: string, keys: readonly string[] = []): boolean {
	if (!/\p{L}{2}/u.test(value) || notProse.test(value)) return false;
	if (
		windowsPath.test(value) ||
		symbol.test(value) ||
		direction.test(value) ||
		packageName.test(value)
	)
		return false;
	if (value.length < 80) {
		if (datePattern.test(value)) return false;
		if (value.includes('%') && !/\p{L}{2}/u.test(value.replace(conversions, ' '))) return false;
	}
	const key = keys.at(-1) ?? '';
	if (settings.test(key) && settingValue.test(value)) return false;
	// Rails: the order of year, month and day.
	return !(key === 'order' && keys.at(-2) === 'date');
}
