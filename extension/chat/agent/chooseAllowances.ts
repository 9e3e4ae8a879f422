/** *What the Agent May Do*: what it does without asking, to be taken back. */

import * as vscode from 'vscode';
import type { Allowances, GivenAllowance } from './allowances.ts';

type Row = vscode.QuickPickItem & { readonly given: GivenAllowance };

/** Shows what is allowed, all of it ticked; what is unticked is asked for again. */
export async function chooseAllowances(allowances: Allowances): Promise<void> {
	const given = await allowances.list();
	if (given.length === 0) {
		void vscode.window.showInformationMessage(
			vscode.l10n.t(
				'The agent asks each time: nothing is allowed in this session or always in this workspace.',
			),
		);
		return;
	}
	const rows = given.map(
		(one): Row => ({
			given: one,
			picked: true,
			label: labelOf(one),
			iconPath: new vscode.ThemeIcon(icons.get(one.tool) ?? 'tools'),
			description: one.isAlways
				? vscode.l10n.t('Always in this workspace')
				: vscode.l10n.t('In this session'),
		}),
	);
	const kept = await vscode.window.showQuickPick(rows, {
		canPickMany: true,
		matchOnDescription: true,
		title: vscode.l10n.t('What the Agent May Do Without Asking'),
		placeHolder: vscode.l10n.t('Untick what it is to ask for again, then press Enter'),
	});
	if (!kept) return;
	const taken = rows.filter((row) => !kept.includes(row));
	if (taken.length > 0) await allowances.takeBack(taken.map((row) => row.given));
}

function labelOf({ tool, scope }: GivenAllowance): string {
	switch (tool) {
		case 'run_command':
			return asWritten(scope);
		case 'edit_file':
			return vscode.l10n.t('Change files');
		case 'read_file': {
			const name = vscode.workspace.asRelativePath(vscode.Uri.parse(scope, true));
			return vscode.l10n.t('Read {0}', asWritten(name));
		}
		default:
			return asWritten(`${tool} ${scope}`);
	}
}

const icons: ReadonlyMap<string, string> = new Map([
	['run_command', 'terminal'],
	['edit_file', 'edit'],
	['read_file', 'eye'],
]);

/** A list draws `$(name)` as an icon; in a command it stands for what another command prints. */
const asWritten = (text: string): string => text.replace(/\$\((?=[\w-]+(?:~\w+)?\))/g, '\\$(');
