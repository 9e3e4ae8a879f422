/** The page a webview starts with: one script, one style sheet, nothing inline, no network. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export interface PageRights {
	/** Plays sound of its `localResourceRoots`. */
	readonly media?: boolean;
}

/** The HTML of a page of `dist/webview`; `page` is the name of its bundle. */
export function pageHtml(
	webview: vscode.Webview,
	extensionUri: vscode.Uri,
	page: string,
	rights: PageRights = {},
): string {
	const file = (name: string) =>
		webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name)).toString();
	const nonce = randomBytes(18).toString('base64');
	const { cspSource } = webview;
	const policy = [
		"default-src 'none'",
		`script-src 'nonce-${nonce}' ${cspSource}`,
		`style-src ${cspSource}`,
		`font-src ${cspSource}`,
		`img-src ${cspSource} data:`,
		...(rights.media ? [`media-src ${cspSource} blob:`] : []),
		"connect-src 'none'",
	].join('; ');
	return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="${policy}">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<title>Nearglot</title>
	<link rel="stylesheet" href="${file(`${page}.css`)}">
</head>
<body>
	<div id="root"></div>
	<script type="module" nonce="${nonce}" src="${file(`${page}.js`)}"></script>
</body>
</html>`;
}

/** What a page may load and do. */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
	return {
		enableScripts: true,
		enableCommandUris: false,
		localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist', 'webview')],
	};
}
