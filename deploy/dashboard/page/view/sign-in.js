(function (odograph) {
    'use strict';

    const { say, byID } = odograph.dom;

    /** Asks who is looking. The password is kept in memory only, as long as the page is open. */
    class SignIn {
        /** @param {(user: string, password: string) => void} onAnswer not called where the question is put away */
        constructor(onAnswer) {
            this.dialog = byID('sign-in');
            this.dialog.querySelector('form').addEventListener('submit', () => {
                onAnswer(byID('user').value, byID('password').value);
            });
        }

        /** Asks. @param {boolean} isRejected whether the answer before was wrong */
        ask(isRejected) {
            say(byID('sign-in-words'), isRejected ? 'The broker rejected the user name or the password.'
                : 'The broker requires a login.');
            this.open();
        }

        /** Opens the question, as it was asked last. */
        open() {
            if (!this.dialog.open) this.dialog.showModal();
        }
    }

    odograph.SignIn = SignIn;
})(globalThis.odograph ??= {});
