/** Tools other chats may call: translate a text, transcribe a recording. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { searchWorkspace } from '../workspace/searchWorkspace.ts';

interface TranslateInput {
	readonly text: string;
	readonly to: string;
	readonly from?: string;
}

interface WorkspaceInput {
	readonly question: string;
	readonly limit?: number;
}

interface TranscribeInput {
	readonly path: string;
	readonly language?: string;
	readonly format?: 'text' | 'srt' | 'vtt';
}

/** Registers both tools; their schemas are in package.json. */
export function registerTools(languageServer: LanguageServerClient): vscode.Disposable {
	const translate: vscode.LanguageModelTool<TranslateInput> = {
		prepareInvocation: ({ input }) => ({
			invocationMessage: vscode.l10n.t('Translating to {0}', input.to),
		}),
		invoke: async ({ input }, token) => {
			const { text, to, from } = input;
			const params = { texts: [text], to, ...(from ? { from } : {}) };
			const { items } = await languageServer.request('nearglot/translate', params, token);
			return result(items[0]?.text ?? '');
		},
	};
	const transcribe: vscode.LanguageModelTool<TranscribeInput> = {
		prepareInvocation: ({ input }) => ({
			invocationMessage: vscode.l10n.t('Transcribing {0}', input.path),
			confirmationMessages: {
				title: vscode.l10n.t('Transcribe a recording'),
				message: vscode.l10n.t('Transcribe {0}?', input.path),
			},
		}),
		invoke: async ({ input }, token) => {
			const path = localPath(input.path);
			const { text } = await languageServer.request(
				'nearglot/transcribe',
				{ ...input, path },
				token,
			);
			return result(text);
		},
	};
	const workspace: vscode.LanguageModelTool<WorkspaceInput> = {
		prepareInvocation: () => ({
			invocationMessage: vscode.l10n.t('Searching the workspace'),
		}),
		invoke: async ({ input }, token) => {
			const { question, limit } = input;
			const options = { token, ...(limit ? { limit } : {}) };
			const { pieces } = await searchWorkspace(languageServer, question, options);
			const texts = pieces.map(
				({ path, startLine, endLine, text }) => `${path}:${startLine + 1}-${endLine + 1}\n${text}`,
			);
			return result(texts.join('\n\n'));
		},
	};
	return vscode.Disposable.from(
		vscode.lm.registerTool('nearglot_workspace', workspace),
		vscode.lm.registerTool('nearglot_translate', translate),
		vscode.lm.registerTool('nearglot_transcribe', transcribe),
	);
}

/** An absolute path, or one below the first folder of the workspace. */
function localPath(path: string): string {
	// A share would be sent the user's name and password hash.
	if (/^[\\/]{2}/.test(path))
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t('{0} is on another computer; copy the recording to this machine.', path),
		);
	if (/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return path;
	const folder = vscode.workspace.workspaceFolders?.[0];
	if (folder?.uri.scheme !== 'file') {
		throw inReadersLanguage('invalid_request', vscode.l10n.t('{0} is not a full path.', path));
	}
	return vscode.Uri.joinPath(folder.uri, path).fsPath;
}

function result(text: string): vscode.LanguageModelToolResult {
	return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}
