/** Info strings of code blocks as languages of the editor. */

import * as vscode from 'vscode';

/** The editor's id of a language as models name it; plain text for one it does not know. */
export async function languageIdOf(language: string): Promise<string> {
	const aliases: ReadonlyMap<string, string> = new Map(
		Object.entries<string>({
			bash: 'shellscript',
			sh: 'shellscript',
			js: 'javascript',
			ts: 'typescript',
			py: 'python',
			'c#': 'csharp',
			'c++': 'cpp',
			md: 'markdown',
			yml: 'yaml',
			ps1: 'powershell',
			rb: 'ruby',
			rs: 'rust',
		}),
	);
	const name = aliases.get(language.toLowerCase()) ?? language.toLowerCase();
	return (await vscode.languages.getLanguages()).includes(name) ? name : 'plaintext';
}
