/** Bulk work of this computer as a native tree: each job with how far it is, and the requests of it that failed. */

import * as vscode from 'vscode';
import {
	type FailedItem,
	isJobOver,
	type JobInfo,
	shortClock,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { shownDate, shownNumber } from '../readersNumbers.ts';

type Node = JobInfo | { readonly failure: FailedItem } | { readonly more: true };

/** Milliseconds between two looks at jobs that are under way, while the view is seen. */
const everyMs = 2000;

/** Serves the view `nearglot.jobs`. */
export class JobsTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #changed = new vscode.EventEmitter<void>();
	readonly #view: vscode.TreeView<Node>;
	readonly #listening: vscode.Disposable;
	#timer: NodeJS.Timeout | undefined;

	readonly onDidChangeTreeData = this.#changed.event;

	constructor(languageServer: LanguageServerClient) {
		this.#languageServer = languageServer;
		this.#view = vscode.window.createTreeView('nearglot.jobs', { treeDataProvider: this });
		this.#listening = vscode.Disposable.from(
			this.#changed,
			this.#view,
			this.#view.onDidChangeVisibility(({ visible }) => {
				if (visible) this.refresh();
			}),
		);
	}

	refresh(): void {
		this.#changed.fire();
	}

	dispose(): void {
		clearTimeout(this.#timer);
		this.#listening.dispose();
	}

	async getChildren(node?: Node): Promise<Node[]> {
		if (node === undefined) {
			const { jobs } = await this.#languageServer.request('nearglot/jobs', {});
			clearTimeout(this.#timer);
			if (jobs.some((job) => !isJobOver(job)))
				this.#timer = setTimeout(() => {
					if (this.#view.visible) this.refresh();
				}, everyMs);
			return [...jobs];
		}
		if (!('id' in node)) return [];
		const { items, hasMore } = await this.#languageServer.request('nearglot/jobs/errors', {
			id: node.id,
		});
		return [
			...items.map((failure) => ({ failure })),
			...(hasMore ? [{ more: true } as const] : []),
		];
	}

	getTreeItem(node: Node): vscode.TreeItem {
		if ('more' in node) return new vscode.TreeItem('…');
		if ('failure' in node) {
			const { line, customId, message } = node.failure;
			const item = new vscode.TreeItem(
				vscode.l10n.t('Line {0}, {1}:', shownNumber(line), customId),
			);
			item.description = message;
			item.tooltip = message;
			item.iconPath = new vscode.ThemeIcon('error');
			return item;
		}
		const { None, Collapsed } = vscode.TreeItemCollapsibleState;
		const item = new vscode.TreeItem(node.name, node.hasErrors ? Collapsed : None);
		item.id = node.id;
		item.description = describeJob(node);
		item.iconPath = new vscode.ThemeIcon(iconOf(node));
		item.contextValue = jobContext(node);
		const text = new vscode.MarkdownString();
		// Where the view is narrow, this is where the whole of it can be read.
		for (const line of [
			node.name,
			describeJob(node),
			node.problem,
			node.problemUntil === undefined
				? undefined
				: vscode.l10n.t('Goes on at {0}.', shownDate(node.problemUntil)),
			node.endpoint,
			shownDate(node.createdAt),
			node.id,
		])
			if (line !== undefined) text.appendText(line).appendMarkdown('  \n');
		item.tooltip = text;
		item.accessibilityInformation = { label: `${node.name}: ${describeJob(node)}` };
		return item;
	}
}

/** What menus ask: `job.running`, `job.paused` or `job.over`, with `.undone` where something is left to be tried again. */
export function jobContext(job: JobInfo): string {
	const isLeft = job.hasErrors || (job.status === 'cancelled' && job.done < job.total);
	const state = isJobOver(job) ? 'over' : job.paused ? 'paused' : 'running';
	return `job.${job.status === 'cancelling' ? 'cancelling' : state}${isLeft ? '.undone' : ''}`;
}

/** State, how much is done, how fast, and how long it takes. */
export function describeJob(job: JobInfo): string {
	const { t } = vscode.l10n;
	const parts = [stateText(job), t('{0} of {1}', shownNumber(job.done), shownNumber(job.total))];
	if (job.failed > 0) parts.push(t('{0} failed', shownNumber(job.failed)));
	if (!isJobOver(job) && job.perSecond !== undefined && job.perSecond >= 0.05) {
		parts.push(t('{0} a second', shownNumber(job.perSecond, 1)));
		if (job.secondsLeft !== undefined) parts.push(t('{0} left', shortClock(job.secondsLeft)));
	}
	return parts.join(' · ');
}

function stateText(job: JobInfo): string {
	if (job.paused && !isJobOver(job)) return vscode.l10n.t('paused');
	switch (job.status) {
		case 'validating':
			return vscode.l10n.t('is read');
		case 'in_progress':
			return vscode.l10n.t('under way');
		case 'finalizing':
			return vscode.l10n.t('results are written');
		case 'completed':
			return vscode.l10n.t('completed');
		case 'failed':
			return vscode.l10n.t('failed');
		case 'expired':
			return vscode.l10n.t('not done in time');
		case 'cancelling':
			return vscode.l10n.t('is being cancelled');
		case 'cancelled':
			return vscode.l10n.t('cancelled');
	}
}

function iconOf(job: JobInfo): string {
	if (!isJobOver(job)) return job.paused ? 'debug-pause' : 'sync~spin';
	if (job.status !== 'completed') return job.status === 'cancelled' ? 'circle-slash' : 'error';
	return job.failed > 0 ? 'warning' : 'pass';
}
