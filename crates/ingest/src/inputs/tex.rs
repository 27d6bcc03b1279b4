//! Commands of TeX that stand for one character.

use text::WordList;

static SYMBOLS: WordList = WordList::new(
    "times/× pm/± le/≤ leq/≤ ge/≥ geq/≥ gt/> lt/< ne/≠ neq/≠ approx/≈ sim/~ cdot/· circ/° prime/′ infty/∞ to/→ rightarrow/→
    alpha/α beta/β gamma/γ delta/δ epsilon/ε varepsilon/ε zeta/ζ eta/η theta/θ kappa/κ lambda/λ mu/µ nu/ν xi/ξ pi/π rho/ρ
    sigma/σ tau/τ phi/φ varphi/φ chi/χ psi/ψ omega/ω Gamma/Γ Delta/Δ Theta/Θ Lambda/Λ Sigma/Σ Phi/Φ Psi/Ψ Omega/Ω",
);

/// The character that a command stands for.
pub(super) fn symbol(command: &str) -> Option<&'static str> {
    SYMBOLS.pairs().find(|(name, _)| *name == command).map(|(_, symbol)| symbol)
}
