/** Everything of the studio by its name: Ctrl+K. */

import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';
import { chats, titleOf } from './studioChats.ts';
import type { StudioPage } from './studioPages.tsx';
import { go } from './studioRoute.ts';
import { text } from './studioText.ts';
import { chooseTheme, themes } from './studioTheme.ts';

export const paletteIsOpen = signal(false);

interface Entry {
	readonly id: string;
	readonly icon: IconName;
	readonly label: string;
	readonly kind: string;
	run(): void;
}

const themeKeys = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const;

function entries(pages: readonly StudioPage[], newChat: () => void): Entry[] {
	return [
		...pages.map(({ name, label, icon }) => ({
			...{ id: name, icon, label: text(label), kind: text('page') },
			run: () => go(name),
		})),
		{ id: 'new', icon: 'plus', label: text('newChat'), kind: text('chat'), run: newChat },
		...chats.value.slice(0, 200).map((chat) => ({
			...{ id: chat.id, icon: 'chat' as const, label: titleOf(chat), kind: text('chat') },
			run: () => go('chat', chat.id),
		})),
		...themes.map((theme) => ({
			...{ id: theme, icon: theme, label: text(themeKeys[theme]), kind: text('theme') },
			run: () => chooseTheme(theme),
		})),
	];
}

interface PaletteProps {
	readonly pages: readonly StudioPage[];
	readonly newChat: () => void;
}

/** Opens with Ctrl+K or Cmd+K from anywhere. */
export function Palette({ pages, newChat }: PaletteProps): VNode {
	const box = useRef<HTMLDialogElement>(null);
	const words = useSignal('');
	const at = useSignal(0);
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey)
				return;
			event.preventDefault();
			paletteIsOpen.value = !paletteIsOpen.value;
		};
		addEventListener('keydown', onKey);
		return () => removeEventListener('keydown', onKey);
	}, []);
	const isOpen = paletteIsOpen.value;
	useEffect(() => {
		words.value = '';
		at.value = 0;
		if (isOpen) box.current?.showModal();
		else box.current?.close();
	}, [isOpen, words, at]);
	const wanted = words.value.toLowerCase();
	const found = isOpen
		? entries(pages, newChat).filter(({ label, kind }) =>
				`${kind} ${label}`.toLowerCase().includes(wanted),
			)
		: [];
	const chosen = Math.min(at.value, found.length - 1);
	const run = (entry: Entry | undefined) => {
		paletteIsOpen.value = false;
		entry?.run();
	};
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: keys close a dialog by themselves; this is its backdrop
		<dialog
			class="palette"
			ref={box}
			aria-label={text('palette')}
			onClose={() => {
				paletteIsOpen.value = false;
			}}
			onClick={(event) => {
				if (event.target === box.current) paletteIsOpen.value = false;
			}}
		>
			<form
				method="dialog"
				onSubmit={(event) => {
					event.preventDefault();
					run(found[chosen]);
				}}
			>
				<input
					type="text"
					role="combobox"
					aria-expanded="true"
					aria-controls="palette-list"
					aria-activedescendant={found[chosen] ? `palette-${found[chosen].id}` : undefined}
					aria-label={text('palette')}
					placeholder={text('paletteHint')}
					value={words.value}
					onInput={(event) => {
						words.value = event.currentTarget.value;
						at.value = 0;
					}}
					onKeyDown={(event) => {
						const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
						if (step === 0 || found.length === 0) return;
						event.preventDefault();
						at.value = (chosen + step + found.length) % found.length;
					}}
				/>
			</form>
			<div id="palette-list" role="listbox" aria-label={text('palette')}>
				{found.slice(0, 60).map((entry, index) => (
					// biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input above has the keys
					<div
						key={`${entry.kind} ${entry.id}`}
						id={`palette-${entry.id}`}
						role="option"
						aria-selected={index === chosen}
						ref={(item) => {
							if (index === chosen) item?.scrollIntoView({ block: 'nearest' });
						}}
						onClick={() => run(entry)}
					>
						<Icon name={entry.icon} />
						<span>{entry.label}</span>
						<small>{entry.kind}</small>
					</div>
				))}
			</div>
		</dialog>
	);
}
