/** Attributes of HTML elements whose values are read by people. */

const always = new Set([
	'title',
	'alt',
	'placeholder',
	'aria-label',
	'aria-description',
	'aria-placeholder',
	'aria-roledescription',
	'aria-valuetext',
]);
const buttons = new Set(['submit', 'button', 'reset']);
const labelled = new Set(['option', 'optgroup', 'track']);
/** What `<meta>` says in words, by its name or property. */
const described =
	/^(?:description|abstract|application-name|apple-mobile-web-app-title|(?:og|twitter):(?:title|description|site_name|image:alt))$/i;

/** Whether the value of an attribute is words. */
export function isReadAttribute(
	element: string,
	name: string,
	attributes: Readonly<Record<string, string>>,
): boolean {
	if (always.has(name)) return true;
	if (element === 'input' && name === 'value')
		return buttons.has((attributes['type'] ?? '').toLowerCase());
	if (element === 'meta' && name === 'content')
		return described.test(attributes['name'] ?? attributes['property'] ?? '');
	return name === 'label' && labelled.has(element);
}
