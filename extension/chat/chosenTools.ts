/**
 * Tools of VS Code (its own, those of extensions and of MCP servers) that a chat's model may call.
 * None until the user chooses some: each costs room in the prompt. VS Code itself asks before it runs
 * one that wants to be confirmed.
 */

import * as vscode from 'vscode';
import {
	AppError,
	type ModelInfo,
	type ToolDefinition,
	type ToolSet,
} from '../../server/protocol/index.ts';
import { callInput, toToolDefinition } from './messageConvert.ts';

const key = 'nearglot.chat.tools';

/** The user's choice, the same in every window. */
export class ChosenTools {
	readonly #memory: vscode.Memento;

	constructor(memory: vscode.Memento) {
		this.#memory = memory;
	}

	/** Names of the chosen tools that are there now. */
	get names(): string[] {
		const chosen = this.#memory.get<readonly string[]>(key, []);
		return vscode.lm.tools.map(({ name }) => name).filter((name) => chosen.includes(name));
	}

	/** What a model may call: nothing when it cannot call tools. */
	toolSet(model: ModelInfo | undefined): ToolSet {
		const names = model?.supportsToolCalling ? this.names : [];
		const tools: ToolDefinition[] = vscode.lm.tools
			.filter(({ name }) => names.includes(name))
			.map(toToolDefinition);
		return { tools, run };
	}

	/** Lets the user choose. */
	async choose(model: ModelInfo | undefined): Promise<void> {
		const chosen = new Set(this.names);
		const items = vscode.lm.tools.map(({ name, description }) => ({
			label: name,
			detail: description,
			picked: chosen.has(name),
		}));
		const picks = await vscode.window.showQuickPick(items, {
			canPickMany: true,
			matchOnDetail: true,
			title: vscode.l10n.t('Tools for the Chat'),
			placeHolder: model?.supportsToolCalling
				? vscode.l10n.t('The model may call the chosen tools by itself.')
				: vscode.l10n.t('The chosen model cannot call tools; another one may.'),
		});
		if (picks)
			await this.#memory.update(
				key,
				picks.map(({ label }) => label),
			);
	}
}

async function run(name: string, input: string, signal: AbortSignal): Promise<string> {
	const source = new vscode.CancellationTokenSource();
	const cancel = () => source.cancel();
	signal.addEventListener('abort', cancel, { once: true });
	try {
		const { content } = await vscode.lm.invokeTool(
			name,
			{ input: callInput(input), toolInvocationToken: undefined },
			source.token,
		);
		const texts = content.map((part) =>
			part instanceof vscode.LanguageModelTextPart ? part.value : '',
		);
		const text = texts.join('');
		return text === '' ? 'The tool answered without text.' : text;
	} catch (error) {
		if (signal.aborted) throw new AppError('cancelled', undefined, { cause: error });
		throw error;
	} finally {
		signal.removeEventListener('abort', cancel);
		source.dispose();
	}
}
