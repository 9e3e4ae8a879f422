/** What can be done with a job of the tree, or with one chosen from a list. */

import * as vscode from 'vscode';
import type { JobChange, JobInfo } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { describeJob, type JobsTree, jobContext } from './jobsTree.ts';

export interface JobDeps {
	readonly languageServer: LanguageServerClient;
	readonly jobs: JobsTree;
}

/** Jobs that a change is for, by what menus call them. */
const able: Readonly<Record<JobChange, RegExp>> = {
	pause: /^job\.running/,
	resume: /^job\.paused/,
	cancel: /^job\.(?:running|paused)/,
	retry: /\.undone$/,
};

/** Changes a job; asks once more before work that is under way is ended. */
export async function changeJob(deps: JobDeps, node: unknown, change: JobChange): Promise<void> {
	const job = isJob(node) ? node : await pickJob(deps, change);
	if (job === undefined) return;
	if (change === 'cancel') {
		const cancel = vscode.l10n.t('Cancel Job');
		const answer = await vscode.window.showWarningMessage(
			vscode.l10n.t('Cancel “{0}”?', job.name),
			{ modal: true, detail: vscode.l10n.t('What is done is kept.') },
			cancel,
		);
		if (answer !== cancel) return;
	}
	await deps.languageServer.request('nearglot/jobs/change', { id: job.id, change });
	deps.jobs.refresh();
}

async function pickJob(deps: JobDeps, change: JobChange): Promise<JobInfo | undefined> {
	const { jobs } = await deps.languageServer.request('nearglot/jobs', {});
	const fitting = jobs.filter((job) => able[change].test(jobContext(job)));
	if (fitting.length === 0) {
		void vscode.window.showInformationMessage(vscode.l10n.t('There is no job for that.'));
		return undefined;
	}
	const items = fitting.map((job) => ({ label: job.name, description: describeJob(job), job }));
	return (await vscode.window.showQuickPick(items))?.job;
}

const isJob = (node: unknown): node is JobInfo =>
	typeof node === 'object' && node !== null && 'id' in node && 'endpoint' in node;
