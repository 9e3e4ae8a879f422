/** Choosing a function, class or other symbol to attach: those of the open file, then the workspace's. */

import * as vscode from 'vscode';
import type { Attachment } from '../../server/protocol/index.ts';
import { rangeAttachment } from './attachSelection.ts';
import { lastTextEditor } from './lastTextEditor.ts';

/** A symbol and where it is. */
export interface SymbolItem extends vscode.QuickPickItem {
	readonly uri: vscode.Uri;
	readonly range: vscode.Range;
}

/** Milliseconds without a key after which language servers are asked. */
const quietMs = 200;

/** Lets the user find a symbol; `undefined` when none was chosen. */
export async function pickSymbol(): Promise<Attachment | undefined> {
	const pick = vscode.window.createQuickPick<SymbolItem>();
	pick.placeholder = vscode.l10n.t('Find a function, class or other symbol');
	pick.matchOnDescription = true;
	pick.busy = true;
	let timer: NodeJS.Timeout | undefined;
	let asked = 0;
	const document = lastTextEditor()?.document;
	const here = document ? await symbolsOf(document.uri) : [];
	const look = async () => {
		const mine = ++asked;
		pick.busy = true;
		const found = await workspaceSymbols(pick.value);
		if (mine !== asked) return;
		const known = new Set(here.map(keyOf));
		pick.items = [...here, ...found.filter((item) => !known.has(keyOf(item)))];
		pick.busy = false;
	};
	pick.onDidChangeValue(() => {
		clearTimeout(timer);
		timer = setTimeout(look, quietMs);
	});
	pick.items = here;
	void look();
	const chosen = await new Promise<SymbolItem | undefined>((resolve) => {
		pick.onDidAccept(() => {
			resolve(pick.selectedItems[0]);
			pick.hide();
		});
		pick.onDidHide(() => resolve(undefined));
		pick.show();
	});
	clearTimeout(timer);
	asked++;
	pick.dispose();
	return chosen && symbolAttachment(chosen);
}

/** All of a symbol, as it is now. */
export async function symbolAttachment(symbol: SymbolItem): Promise<Attachment> {
	const document = await vscode.workspace.openTextDocument(symbol.uri);
	return rangeAttachment(document, await wholeRange(symbol));
}

/** Symbols whose names hold the words: those of the open file, then the workspace's. */
export async function findSymbols(words: string): Promise<SymbolItem[]> {
	const document = lastTextEditor()?.document;
	const here = document ? await symbolsOf(document.uri) : [];
	const known = new Set(here.map(keyOf));
	const others = words === '' ? [] : await workspaceSymbols(words);
	return [...here, ...others.filter((item) => !known.has(keyOf(item)))].filter(({ label }) =>
		label.toLowerCase().includes(words.toLowerCase()),
	);
}

/** Every symbol of a file, nested ones too, with the whole range of each. */
async function symbolsOf(uri: vscode.Uri): Promise<SymbolItem[]> {
	const found = await vscode.commands.executeCommand<
		(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
	>('vscode.executeDocumentSymbolProvider', uri);
	const items: SymbolItem[] = [];
	const add = (symbol: vscode.DocumentSymbol | vscode.SymbolInformation, inside: string) => {
		const range = 'location' in symbol ? symbol.location.range : symbol.range;
		items.push(item(symbol.name, inside, uri, range));
		for (const child of 'children' in symbol ? symbol.children : []) add(child, symbol.name);
	};
	for (const symbol of found ?? []) add(symbol, '');
	return items;
}

async function workspaceSymbols(query: string): Promise<SymbolItem[]> {
	const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
		'vscode.executeWorkspaceSymbolProvider',
		query,
	);
	return (found ?? []).map(({ name, containerName, location }) =>
		item(name, containerName, location.uri, location.range),
	);
}

/** Language servers give the whole workspace only the place of a name: its file knows the rest. */
async function wholeRange({ label, uri, range }: SymbolItem): Promise<vscode.Range> {
	const inFile = await symbolsOf(uri);
	const same = inFile.filter((each) => each.label === label && each.range.contains(range.start));
	return same[0]?.range ?? range;
}

function item(name: string, inside: string, uri: vscode.Uri, range: vscode.Range): SymbolItem {
	const path = `${vscode.workspace.asRelativePath(uri)}:${range.start.line + 1}`;
	return {
		label: name,
		description: inside === '' ? path : `${inside} · ${path}`,
		iconPath: new vscode.ThemeIcon('symbol-misc'),
		uri,
		range,
	};
}

const keyOf = ({ label, uri, range }: SymbolItem) => `${label} ${uri} ${range.start.line}`;
