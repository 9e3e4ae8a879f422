/**
 * What goes along with every question of a chat while it is on: the selection or file of the active editor, and the
 * instructions for models that a workspace keeps.
 */

import * as vscode from 'vscode';
import type {
	Attachment,
	ChatParams,
	ContextChip,
	ModelInfo,
} from '../../server/protocol/index.ts';
import { selectionAttachment } from './attachSelection.ts';
import { lastTextEditor } from './lastTextEditor.ts';
import { type PromptFile, readPromptFile } from './promptFile.ts';

/** Where instructions lie, by what other tools agree on; the first one that is there is used. */
const instructionFiles = ['AGENTS.md', '.github/copilot-instructions.md'];
/** A model that reads less, in tokens, would read little but the instructions. */
const minContextLength = 4096;
/** Longest instructions, in characters. */
const maxInstructions = 20_000;

interface Instructions {
	readonly label: string;
	readonly text: string;
}

/** The context of one chat. */
export class QuestionContext {
	#withEditor = false;
	/** What the user chose; before that, it depends on the model. */
	#withInstructions: boolean | undefined;
	#instructions: Instructions | undefined;

	/** Calls back when other chips may be to be shown, until it is disposed of. */
	follow(onChange: () => void): vscode.Disposable {
		let timer: NodeJS.Timeout | undefined;
		const soon = () => {
			clearTimeout(timer);
			timer = setTimeout(onChange, 100);
		};
		return vscode.Disposable.from(
			vscode.window.onDidChangeActiveTextEditor(soon),
			vscode.window.onDidChangeTextEditorSelection(soon),
			new vscode.Disposable(() => clearTimeout(timer)),
		);
	}

	/** Reads the instructions of the workspace anew; those of one that is not trusted are not read. */
	async refresh(): Promise<void> {
		this.#instructions = vscode.workspace.isTrusted ? await readInstructions() : undefined;
	}

	chips(model: ModelInfo | undefined): ContextChip[] {
		const editor = editorLabel();
		const chips: ContextChip[] = [];
		if (editor) chips.push({ kind: 'editor', label: editor, on: this.#withEditor });
		if (this.#instructions)
			chips.push({
				kind: 'instructions',
				label: this.#instructions.label,
				on: this.#instructionsOn(model),
			});
		return chips;
	}

	toggle(kind: string, model: ModelInfo | undefined): void {
		if (kind === 'editor') this.#withEditor = !this.#withEditor;
		else if (kind === 'instructions') this.#withInstructions = !this.#instructionsOn(model);
	}

	/** What goes along by itself, but for what is attached already. */
	attachments(attached: readonly Attachment[]): Attachment[] {
		if (!this.#withEditor || !editorLabel()) return [];
		const own = selectionAttachment();
		return attached.some(({ label }) => label === own.label) ? [] : [own];
	}

	/** A request with the instructions before it. */
	withInstructions(params: ChatParams, model: ModelInfo | undefined): ChatParams {
		if (!this.#instructions || !this.#instructionsOn(model)) return params;
		const [first, ...rest] = params.messages;
		const own = first?.role === 'system' ? first.content : '';
		const content = [this.#instructions.text, own].filter((text) => text !== '').join('\n\n');
		const messages = first?.role === 'system' ? rest : params.messages;
		return { ...params, messages: [{ role: 'system', content }, ...messages] };
	}

	#instructionsOn(model: ModelInfo | undefined): boolean {
		return this.#withInstructions ?? (model?.contextLength ?? 0) >= minContextLength;
	}
}

/** Name of the active editor's file, with the lines that are selected. */
function editorLabel(): string | undefined {
	const editor = lastTextEditor();
	if (!editor || !['file', 'untitled', 'vscode-remote'].includes(editor.document.uri.scheme))
		return undefined;
	const name = editor.document.uri.path.split('/').at(-1) ?? '';
	const { start, end, isEmpty } = editor.selection;
	if (isEmpty) return name;
	const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
	return last === start.line + 1 ? `${name}:${last}` : `${name}:${start.line + 1}-${last}`;
}

async function readInstructions(): Promise<Instructions | undefined> {
	for (const { uri } of vscode.workspace.workspaceFolders ?? [])
		for (const file of instructionFiles) {
			const text = await readText(vscode.Uri.joinPath(uri, file));
			if (text === undefined || text.trim() === '') continue;
			// Too long for any model here: it is not cut, it stays out, and the chip is not offered.
			if (text.length <= maxInstructions) return { label: file, text: text.trim() };
		}
	return undefined;
}

/** The prompts of the workspace (`.github/prompts`), by name. */
export async function promptFiles(): Promise<PromptFile[]> {
	if (!vscode.workspace.isTrusted) return [];
	const found = await vscode.workspace.findFiles('.github/prompts/*.prompt.md', undefined, 100);
	const prompts = await Promise.all(
		found.map(async (uri) => {
			const text = (await readText(uri)) ?? '';
			return readPromptFile(uri.path.split('/').at(-1) ?? '', text);
		}),
	);
	return prompts
		.filter((prompt) => prompt !== undefined)
		.sort((a, b) => a.name.localeCompare(b.name));
}

async function readText(uri: vscode.Uri): Promise<string | undefined> {
	try {
		return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
	} catch {
		return undefined;
	}
}
