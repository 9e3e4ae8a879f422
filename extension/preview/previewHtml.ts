/** The page of a translated preview: the editor's own Markdown styles and a script that scrolls. */

/** Parts of the page that only the editor knows. */
export interface PreviewPage {
	readonly cspSource: string;
	readonly nonce: string;
	/** BCP 47 code of what is shown. */
	readonly language: string;
	/** Folder of the document, for pictures with relative addresses. */
	readonly base: string;
	readonly styles: readonly string[];
	readonly title: string;
}

const escaped = (text: string) =>
	text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Runs in the page: shows what arrives, follows the source, hands clicks on links back. */
const script = `
const editor = acquireVsCodeApi();
const main = document.querySelector('main');
const state = document.querySelector('#state');
let line = 0;
function scroll() {
	let before, after;
	for (const element of main.querySelectorAll('[data-line]')) {
		const at = Number(element.dataset.line);
		if (at <= line) before = { at, top: element.getBoundingClientRect().top + scrollY };
		else { after = { at, top: element.getBoundingClientRect().top + scrollY }; break; }
	}
	if (!before) return scrollTo(0, 0);
	const share = after ? (line - before.at) / (after.at - before.at) : 0;
	scrollTo(0, before.top + share * ((after ? after.top : before.top) - before.top) - 8);
}
addEventListener('message', ({ data }) => {
	if (typeof data.busy === 'boolean') main.setAttribute('aria-busy', String(data.busy));
	if (typeof data.state === 'string') state.textContent = data.state;
	if (typeof data.html === 'string') {
		const top = scrollY;
		main.innerHTML = data.html;
		scrollTo(0, top);
	}
	if (typeof data.line === 'number') { line = data.line; scroll(); }
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

/** The whole page, without content. */
export function previewHtml(page: PreviewPage): string {
	const { cspSource, nonce } = page;
	const policy = `default-src 'none'; img-src ${cspSource} data:; media-src ${cspSource}; font-src ${cspSource} data:; style-src ${cspSource} 'unsafe-inline'; script-src 'nonce-${nonce}'; base-uri ${cspSource};`;
	const styles = page.styles.map((href) => `<link rel="stylesheet" href="${escaped(href)}">`);
	return `<!DOCTYPE html>
<html lang="${escaped(page.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<title>${escaped(page.title)}</title>
${styles.join('\n')}
<base href="${escaped(page.base)}">
<style nonce="${nonce}">
main[aria-busy="true"] { opacity: 0.6; }
#state { position: sticky; top: 0; color: var(--vscode-descriptionForeground); }
</style>
</head>
<body class="vscode-body">
<p id="state" role="status"></p>
<main aria-busy="true"></main>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}
