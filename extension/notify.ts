/** How people hear of failures: one notification per cause, and progress that can be cancelled. */

import * as vscode from 'vscode';
import {
	AppError,
	asAppError,
	type ErrorAction,
	type ErrorCode,
	errorActionOf,
	localisedError,
	offersIn,
	teamTrouble,
} from '../server/protocol/index.ts';
import { shownSize } from './readersNumbers.ts';

/** An error in the language of the editor; one that has it already stays. */
export const localised = (error: AppError): AppError => localisedError(error, vscode.l10n.t);

/** What any thrown value says, in the language of the editor. */
export const readableMessage = (error: unknown): string => localised(asAppError(error)).message;

/** Causes shown right now, so that one cause is one notification. */
const shown = new Set<string>();

/** What several messages may have in common: the trouble with one team server. */
function causeOf(error: AppError): string {
	const trouble = teamTrouble(error);
	return trouble ? `${trouble} ${String(error.data?.['origin'] ?? '')}` : error.message;
}

/** What whoever asked can mend alone: a log would tell them nothing. */
const mistakes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
	...(['invalid_request', 'not_found', 'conflict', 'payload_too_large'] as const),
	...(['invalid_audio', 'unsupported_media_type'] as const),
]);

/** What an error offers to do, as a button says it. */
function actionLabel(action: ErrorAction): string {
	if (action.kind === 'search') return vscode.l10n.t('Search the hub …');
	const offers = offersIn(action);
	const bytes = offers.reduce((sum, offer) => sum + (offer.bytes ?? 0), 0);
	const names = offers.map(({ name }) => name).join(' + ');
	return bytes === 0
		? vscode.l10n.t('Get {0}', names)
		: vscode.l10n.t('Get {0} (about {1})', names, shownSize(bytes));
}

/** Shows why something did not work. Cancelled work is not worth a message. */
export async function showError(error: unknown): Promise<void> {
	const known = localised(asAppError(error));
	const cause = causeOf(known);
	if (known.code === 'cancelled' || shown.has(cause)) return;
	shown.add(cause);
	const log = vscode.l10n.t('Show Log');
	const restart = vscode.l10n.t('Restart Server');
	const signIn = vscode.l10n.t('Sign In');
	const here = vscode.l10n.t('Use This Computer');
	const trouble = teamTrouble(known);
	const action = errorActionOf(known);
	const remedy = action && actionLabel(action);
	const isMistake = trouble === undefined && remedy === undefined && mistakes.has(known.code);
	const offers =
		trouble === 'sign-in'
			? [signIn, here]
			: trouble === 'unreachable'
				? [here, log]
				: known.code === 'daemon_unavailable'
					? [restart, log]
					: remedy !== undefined
						? [remedy]
						: [log];
	try {
		const text = `Nearglot: ${known.message}`;
		const choice = isMistake
			? await vscode.window.showInformationMessage(text)
			: await vscode.window.showErrorMessage(text, ...offers);
		if (choice === undefined) return;
		if (choice === log) await vscode.commands.executeCommand('nearglot.server.showLog');
		if (choice === signIn) await vscode.commands.executeCommand('nearglot.team.signIn', true);
		if (choice === here) await vscode.commands.executeCommand('nearglot.team.useThisComputer');
		if (choice === restart) await vscode.commands.executeCommand('nearglot.server.restart');
		if (choice === remedy) await vscode.commands.executeCommand('nearglot.models.download', action);
	} finally {
		shown.delete(cause);
	}
}

/** Milliseconds of quiet work before a notification with a cancel button appears. */
const progressAfterMs = 1200;

/**
 * Runs work with a token. The status bar shows it from the start, a notification with *Cancel* only
 * when it takes long.
 */
export async function withDelayedProgress<T>(
	title: string,
	work: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
	const source = new vscode.CancellationTokenSource();
	const running = work(source.token);
	const quiet = running.then(
		() => undefined,
		() => undefined,
	);
	void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => quiet);
	const timer = setTimeout(() => {
		void vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title, cancellable: true },
			async (_progress, token) => {
				token.onCancellationRequested(() => source.cancel());
				await quiet;
			},
		);
	}, progressAfterMs);
	try {
		return await running;
	} catch (error) {
		throw source.token.isCancellationRequested ? new AppError('cancelled') : error;
	} finally {
		clearTimeout(timer);
		source.dispose();
	}
}
