/** Sentences of the language server in the languages of the product, chosen by the client's locale. */

const english = {
	comment: 'Translate comment to {0}',
	docstring: 'Translate docstring to {0}',
	string: 'Translate string to {0}',
	text: 'Translate paragraph to {0}',
	selection: 'Translate selection to {0}',
	name: 'Name this symbol in {0}',
	translating: 'Translating',
	translatingInto: 'Translating into {0}',
	glossary: 'Nearglot: add “{0}”',
	newMessages: 'New messages ({0})',
	changed: 'The text has changed meanwhile; nothing was replaced.',
	refused: 'The editor refused the change.',
	head: 'The first line must name at least two languages, separated by tabs, such as “en”, tab, “de”.',
	language: '“{0}” is no language code, or it stands there twice.',
	cells: 'There are more cells than languages ({0}).',
	single: 'A term needs words in at least two languages, separated by tabs.',
	conflict: '“{0}” has another translation in line {1}, which is the one that is used.',
	quote: 'Terms must not have < or >.',
};

/** Names of the sentences; `{0}`, `{1}` … are filled in. */
export type TextName = keyof typeof english;

const german: Record<TextName, string> = {
	comment: 'Kommentar übersetzen: {0}',
	docstring: 'Docstring übersetzen: {0}',
	string: 'Zeichenkette übersetzen: {0}',
	text: 'Absatz übersetzen: {0}',
	selection: 'Auswahl übersetzen: {0}',
	name: 'Dieses Symbol benennen: {0}',
	translating: 'Übersetzen',
	translatingInto: 'Übersetzen: {0}',
	glossary: 'Nearglot: „{0}“ hinzufügen',
	newMessages: 'Neue Texte ({0})',
	changed: 'Der Text hat sich inzwischen geändert; nichts wurde ersetzt.',
	refused: 'Der Editor hat die Änderung abgelehnt.',
	head: 'Die erste Zeile muss mindestens zwei Sprachen nennen, durch Tabulatoren getrennt, etwa „en“, Tabulator, „de“.',
	language: '„{0}“ ist kein Sprachcode oder steht doppelt da.',
	cells: 'Hier stehen mehr Zellen als Sprachen ({0}).',
	single: 'Ein Begriff braucht Wörter in mindestens zwei Sprachen, durch Tabulatoren getrennt.',
	conflict: '„{0}“ hat in Zeile {1} eine andere Übersetzung; jene gilt.',
	quote: 'Begriffe dürfen kein < und kein > enthalten.',
};

const french: Record<TextName, string> = {
	comment: 'Traduire le commentaire : {0}',
	docstring: 'Traduire la docstring : {0}',
	string: 'Traduire la chaîne : {0}',
	text: 'Traduire le paragraphe : {0}',
	selection: 'Traduire la sélection : {0}',
	name: 'Nommer ce symbole : {0}',
	translating: 'Traduction',
	translatingInto: 'Traduction : {0}',
	glossary: 'Nearglot : ajouter « {0} »',
	newMessages: 'Nouveaux messages ({0})',
	changed: 'Le texte a changé entre-temps ; rien n’a été remplacé.',
	refused: 'L’éditeur a refusé la modification.',
	head: 'La première ligne doit nommer au moins deux langues, séparées par des tabulations, par exemple « en », tabulation, « de ».',
	language: '« {0} » n’est pas un code de langue, ou il y est deux fois.',
	cells: 'Il y a plus de cellules que de langues ({0}).',
	single: 'Un terme demande des mots en deux langues au moins, séparés par des tabulations.',
	conflict: '« {0} » a une autre traduction à la ligne {1} ; c’est celle-là qui compte.',
	quote: 'Les termes ne peuvent contenir ni < ni >.',
};

const spanish: Record<TextName, string> = {
	comment: 'Traducir el comentario: {0}',
	docstring: 'Traducir la docstring: {0}',
	string: 'Traducir la cadena: {0}',
	text: 'Traducir el párrafo: {0}',
	selection: 'Traducir la selección: {0}',
	name: 'Nombrar este símbolo: {0}',
	translating: 'Traduciendo',
	translatingInto: 'Traduciendo: {0}',
	glossary: 'Nearglot: añadir «{0}»',
	newMessages: 'Mensajes nuevos ({0})',
	changed: 'El texto ha cambiado entretanto; no se ha reemplazado nada.',
	refused: 'El editor ha rechazado el cambio.',
	head: 'La primera línea debe nombrar al menos dos idiomas separados por tabuladores, como «en», tabulador, «de».',
	language: '«{0}» no es un código de idioma o aparece dos veces.',
	cells: 'Hay más celdas que idiomas ({0}).',
	single: 'Un término necesita palabras en al menos dos idiomas, separadas por tabuladores.',
	conflict: '«{0}» tiene otra traducción en la línea {1}; esa es la que vale.',
	quote: 'Los términos no pueden contener < ni >.',
};

const tables: Readonly<Record<string, Record<TextName, string>>> = {
	en: english,
	de: german,
	fr: french,
	es: spanish,
};

/** A sentence in the language of a locale (BCP 47); in English where there is no other. */
export function text(name: TextName, locale: string | undefined, ...values: string[]): string {
	const table = tables[(locale ?? 'en').toLowerCase().split(/[-_]/)[0] ?? 'en'] ?? english;
	return table[name].replace(/\{(\d)\}/g, (_, index: string) => values[Number(index)] ?? '');
}
