/** Sign-in with a short code that is typed in any browser (RFC 8628). */

import * as vscode from 'vscode';
import { AppError, asAppError, inReadersLanguage } from '../../server/protocol/index.ts';
import { openPage } from './openPage.ts';
import type { SignInFlow } from './signInFlows.ts';
import type { DeviceAuthorization, TeamApi, TeamSession } from './teamApi.ts';

export function deviceCodeFlow(api: TeamApi): SignInFlow {
	return {
		name: 'device',
		possible: async () => true,
		run: async () => {
			const grant = await api.beginDevice();
			const open = vscode.l10n.t('Copy Code and Open Page');
			const copy = vscode.l10n.t('Copy Code');
			const answer = await vscode.window.showInformationMessage(
				vscode.l10n.t('Your code is {0}', grant.userCode),
				{
					modal: true,
					detail: vscode.l10n.t('Open {0} in any browser and type the code.', grant.page),
				},
				open,
				copy,
			);
			if (answer === undefined) throw new AppError('cancelled');
			await vscode.env.clipboard.writeText(grant.userCode);
			if (answer === open) await openPage(grant.page);
			return vscode.window.withProgress(
				{
					location: vscode.ProgressLocation.Notification,
					title: vscode.l10n.t('Waiting for {0} to be approved', grant.userCode),
					cancellable: true,
				},
				(_progress, token) => approved(api, grant, token),
			);
		},
	};
}

async function approved(
	api: TeamApi,
	grant: DeviceAuthorization,
	token: vscode.CancellationToken,
): Promise<TeamSession> {
	const end = performance.now() + grant.expiresInS * 1000;
	let pauseMs = grant.intervalS * 1000;
	while (performance.now() < end) {
		await pause(pauseMs, token);
		if (token.isCancellationRequested) throw new AppError('cancelled');
		try {
			const result = await api.pollDevice(grant.deviceCode);
			if (result === 'slow') pauseMs += 5000;
			else if (result) return result;
		} catch (error) {
			// A network that is away for a moment is no refusal (RFC 8628, 3.5).
			if (asAppError(error).code !== 'upstream_failed') throw error;
			pauseMs += 5000;
		}
	}
	throw inReadersLanguage('timeout', vscode.l10n.t('The code has expired. Begin again.'));
}

function pause(ms: number, token: vscode.CancellationToken): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		token.onCancellationRequested(() => {
			clearTimeout(timer);
			resolve();
		});
	});
}
