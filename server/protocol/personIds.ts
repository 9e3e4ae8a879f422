/** What people are called where what is stored is deleted: a misspelt name would delete nothing, and nobody would know. */

/** Whether a text can be the id of a person: `local`, `anonymous`, `key:ID`, `person:ID` or `directory:…`. */
export const isPersonId = (text: string): boolean =>
	/^(?:local|anonymous|key:[0-9a-f]{8}|person:[0-9a-f]{32}|directory:.{0,255})$/s.test(text);

/** The phrase behind "must be". */
export const personIdForms =
	"a person as the usage shows them: 'local', 'key:' and the id of a key, or 'person:' and the id of who signs in";
