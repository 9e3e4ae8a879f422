/** The chat models of this computer in VS Code's own model picker. */

import * as vscode from 'vscode';
import type { ChatDelta, ModelInfo } from '../../server/protocol/index.ts';
import { callInput, toChatMessages, toToolDefinition } from '../chat/messageConvert.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';

/** Vendor of the models, as package.json has it. */
const vendor = 'nearglot';

/** Tokens kept for the answer when a model does not say how long one may be. */
const answerShare = 4;

/** How VS Code lists a model: limits are those of the model, never invented. */
export function modelInformation(
	model: ModelInfo,
): vscode.LanguageModelChatInformation | undefined {
	const { id, contextLength, displayName, name, version, license, maxOutputTokens, origin } = model;
	if (contextLength === undefined) return undefined;
	const maxOutput = maxOutputTokens ?? Math.floor(contextLength / answerShare);
	return {
		id,
		name: displayName,
		family: name,
		version,
		detail:
			origin === 'team'
				? vscode.l10n.t('Team · {0}', model.publisher)
				: origin === 'upstream'
					? vscode.l10n.t('At {0}', model.publisher)
					: vscode.l10n.t('On this computer'),
		tooltip: [id, license].filter((part) => part !== '').join(' · '),
		maxInputTokens: Math.max(1, contextLength - maxOutput),
		maxOutputTokens: maxOutput,
		capabilities: {
			toolCalling: model.supportsToolCalling,
			imageInput: model.supportsImageInput === true,
		},
	};
}

/** Registers the provider. Asked silently, it does not start anything that does not run. */
export function registerModelProvider(
	languageServer: LanguageServerClient,
	onModelsChanged: vscode.Event<void>,
): vscode.Disposable {
	const changed = new vscode.EventEmitter<void>();
	const provider: vscode.LanguageModelChatProvider = {
		onDidChangeLanguageModelChatInformation: changed.event,
		provideLanguageModelChatInformation: async (_options, token) => {
			const { models } = await languageServer.request('nearglot/models', {}, token);
			return models
				.filter(({ task, state }) => task === 'chat-completion' && state !== 'not-downloaded')
				.map(modelInformation)
				.filter((information) => information !== undefined);
		},
		provideLanguageModelChatResponse: async (model, messages, options, progress, token) => {
			const { temperature, max_tokens: maxTokens } = options.modelOptions ?? {};
			const result = await languageServer.request(
				'nearglot/chat',
				{
					model: model.id,
					messages: toChatMessages(messages),
					...(typeof temperature === 'number' ? { temperature } : {}),
					...(typeof maxTokens === 'number' ? { maxTokens } : {}),
					...(options.tools?.length ? { tools: options.tools.map(toToolDefinition) } : {}),
					...(options.tools?.length &&
					options.toolMode === vscode.LanguageModelChatToolMode.Required
						? { toolChoice: 'required' as const }
						: {}),
				},
				token,
				(value) => {
					const { text } = value as ChatDelta;
					if (text) progress.report(new vscode.LanguageModelTextPart(text));
				},
			);
			for (const { id, function: called } of result.toolCalls) {
				const input = callInput(called.arguments);
				progress.report(new vscode.LanguageModelToolCallPart(id, called.name, input));
			}
		},
		provideTokenCount: async (model, text, token) => {
			const messages =
				typeof text === 'string'
					? [{ role: 'user' as const, content: text }]
					: toChatMessages([text]);
			const { tokens } = await languageServer.request(
				'nearglot/countTokens',
				{ model: model.id, messages },
				token,
			);
			return tokens;
		},
	};
	let daemon: number | undefined;
	const listening = languageServer.onHealth(({ status }) => {
		if (status?.daemon?.pid === daemon) return;
		daemon = status?.daemon?.pid;
		if (daemon !== undefined) changed.fire();
	});
	return vscode.Disposable.from(
		onModelsChanged(() => changed.fire()),
		vscode.lm.registerLanguageModelChatProvider(vendor, provider),
		changed,
		listening,
	);
}
