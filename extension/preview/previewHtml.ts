/** The page of a translated preview: the editor's own Markdown styles, a bar of choices and a script. */

import { previewScript } from './previewScript.ts';

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
	/** Texts of the bar in the user's language. */
	readonly texts: Readonly<Record<'language' | 'layout' | 'translation' | 'both', string>>;
}

const escaped = (text: string) =>
	text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const style = `
#bar {
	position: sticky;
	top: 0;
	z-index: 1;
	display: flex;
	flex-wrap: wrap;
	gap: 4px 10px;
	align-items: center;
	padding: 6px 0;
	background: var(--vscode-editor-background);
	font-size: 0.9em;
}
#bar select, #bar button {
	max-width: 100%;
	padding: 2px 8px;
	border: 1px solid var(--vscode-dropdown-border, var(--vscode-contrastBorder, #8884));
	border-radius: 3px;
	background: var(--vscode-dropdown-background, Field);
	color: var(--vscode-dropdown-foreground, FieldText);
	font: inherit;
}
#bar button { cursor: pointer; }
#bar button[aria-pressed="true"] {
	border-color: var(--vscode-focusBorder);
	background: var(--vscode-button-background);
	color: var(--vscode-button-foreground);
}
#bar :focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
#layout { display: flex; gap: 2px; }
#state { margin: 0; color: var(--vscode-descriptionForeground); }
main[aria-busy="true"] { opacity: 0.6; }
main { overflow-wrap: anywhere; }
main table { overflow-wrap: normal; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 24px; border-radius: 3px; }
.pair:hover { background: var(--vscode-list-hoverBackground, #8881); outline: 1px dashed var(--vscode-contrastActiveBorder, transparent); }
.pair > div > :first-child { margin-top: 0.4em; }
.pair > div { min-width: 0; overflow-x: auto; }
.pair .source { color: var(--vscode-descriptionForeground); }
@media (max-width: 600px) {
	.pair { grid-template-columns: minmax(0, 1fr); padding-bottom: 0.6em; }
}
`;

/** The whole page, without content. */
export function previewHtml(page: PreviewPage): string {
	const { cspSource, nonce, texts } = page;
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
<style nonce="${nonce}">${style}</style>
</head>
<body class="vscode-body">
<header id="bar">
<select id="language" aria-label="${escaped(texts.language)}"></select>
<div id="layout" role="group" aria-label="${escaped(texts.layout)}">
<button type="button" value="translation" aria-pressed="true">${escaped(texts.translation)}</button>
<button type="button" value="both" aria-pressed="false">${escaped(texts.both)}</button>
</div>
<p id="state" role="status"></p>
</header>
<main aria-busy="true"></main>
<script nonce="${nonce}">${previewScript}</script>
</body>
</html>`;
}
