/**
 * What runs in the page of a translated preview: shows what arrives, alone or beside its source paragraph by
 * paragraph, follows the editor, and hands choices and clicks back.
 */
export const previewScript = `
const editor = acquireVsCodeApi();
const main = document.querySelector('main');
const state = document.querySelector('#state');
const select = document.querySelector('#language');
const buttons = [...document.querySelectorAll('#layout button')];
let shown = { html: '', source: '', language: '', sourceLanguage: '' };
let place = { line: 0, sourceLine: 0 };
let layout = editor.getState()?.layout === 'both' ? 'both' : 'translation';

function blocksOf(html) {
	const holder = document.createElement('div');
	holder.innerHTML = html;
	return [...holder.children];
}
function cell(blocks, language, isSource) {
	const made = document.createElement('div');
	if (language) made.lang = language;
	made.className = isSource ? 'source' : 'translation';
	made.append(...blocks);
	// An address on the page leads to one place only.
	if (isSource) for (const named of made.querySelectorAll('[id]')) named.removeAttribute('id');
	return made;
}
function pair(source, target) {
	const row = document.createElement('div');
	row.className = 'pair';
	row.append(cell(source, shown.sourceLanguage, true), cell(target, '', false));
	return row;
}
function draw() {
	const top = scrollY;
	main.className = layout;
	for (const button of buttons) button.setAttribute('aria-pressed', String(button.value === layout));
	if (layout === 'translation') main.innerHTML = shown.html;
	else {
		const [source, target] = [blocksOf(shown.source), blocksOf(shown.html)];
		// Translations keep the paragraphs of their source; where they do not, nothing says which go together.
		const rows =
			source.length === target.length
				? source.map((block, index) => pair([block], [target[index]]))
				: [pair(source, target)];
		main.replaceChildren(...rows);
	}
	scrollTo(0, top);
}
function scroll() {
	const isBoth = layout === 'both';
	const line = isBoth ? place.sourceLine : place.line;
	let before, after;
	for (const element of main.querySelectorAll(isBoth ? '.source [data-line]' : '[data-line]')) {
		const at = Number(element.dataset.line);
		if (at <= line) before = { at, top: element.getBoundingClientRect().top + scrollY };
		else { after = { at, top: element.getBoundingClientRect().top + scrollY }; break; }
	}
	if (!before) return scrollTo(0, 0);
	const share = after ? (line - before.at) / (after.at - before.at) : 0;
	const bar = document.querySelector('#bar').offsetHeight;
	scrollTo(0, before.top + share * ((after ? after.top : before.top) - before.top) - bar - 8);
}
addEventListener('message', ({ data }) => {
	if (typeof data.busy === 'boolean') main.setAttribute('aria-busy', String(data.busy));
	if (typeof data.state === 'string') state.textContent = data.state;
	if (Array.isArray(data.languages))
		select.replaceChildren(...data.languages.map(({ code, name }) => new Option(name, code)));
	if (typeof data.language === 'string') {
		if (![...select.options].some((option) => option.value === data.language))
			select.append(new Option(data.language, data.language));
		select.value = data.language;
		document.documentElement.lang = data.language;
	}
	if (typeof data.html === 'string') { shown = data; draw(); }
	if (typeof data.line === 'number') { place = data; scroll(); }
});
select.addEventListener('change', () => editor.postMessage({ to: select.value }));
for (const button of buttons)
	button.addEventListener('click', () => {
		layout = button.value;
		editor.setState({ layout });
		draw();
		scroll();
	});
addEventListener('dblclick', (event) => {
	const row = event.target.closest?.('.pair');
	const line = row?.querySelector('.source [data-line]')?.dataset.line;
	if (line !== undefined) editor.postMessage({ goTo: Number(line) });
});
addEventListener('click', (event) => {
	const link = event.target.closest?.('a[href]');
	const href = link?.getAttribute('data-href') ?? link?.getAttribute('href') ?? '';
	if (href === '' || href.startsWith('#')) return;
	event.preventDefault();
	editor.postMessage({ open: href });
});
editor.postMessage({ ready: true });
`;
