//! `#[derive(SettingGroup)]`: defaults, ranges and descriptions of settings, from the fields of a type.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, Ident, Lit, LitStr, Meta, Path,
    Result, Token, parse::ParseStream,
};

pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            other => return Err(Error::new_spanned(other, "name the fields")),
        },
        _ => {
            return Err(Error::new_spanned(&input.ident, "SettingGroup can be derived for a struct only"));
        }
    };
    let (mut defaults, mut settings, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let ident = &field.ident;
        let ty = &field.ty;
        let options = Options::read(field)?;
        let default = options.default_value();
        defaults.push(quote!(#ident: #default));
        let name = &options.name;
        match options.holds {
            Holds::Part => {
                settings.push(quote!(all.extend(<#ty as ::types::SettingGroup>::settings());));
                checks.push(quote!(::types::SettingGroup::check_ranges(&self.#ident)?;));
            }
            Holds::Section => {
                settings.push(quote! {
                    all.extend(<#ty as ::types::SettingGroup>::settings().into_iter().map(|one| one.within(#name)));
                });
                checks.push(quote! {
                    ::types::SettingGroup::check_ranges(&self.#ident).map_err(|error| error.within(#name))?;
                });
            }
            Holds::Setting => {
                let (text, main, no_effect) = (&options.text, options.main, options.no_effect);
                let limit = options.limit();
                settings.push(quote! {
                    all.push(::types::Setting {
                        key: #name.to_owned(),
                        text: #text,
                        limit: #limit,
                        main: #main,
                        no_effect: #no_effect,
                    });
                });
                checks.extend(options.checks());
            }
            Holds::Nothing => {}
        }
    }
    let joint = checks_of_type(&input.attrs)?;
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::pedantic)]
        const _: () = {
            impl ::std::default::Default for #name {
                fn default() -> Self {
                    Self { #(#defaults),* }
                }
            }
            impl ::types::SettingGroup for #name {
                fn settings() -> ::std::vec::Vec<::types::Setting> {
                    let mut all = ::std::vec::Vec::new();
                    #(#settings)*
                    all
                }
                fn check_ranges(&self) -> ::std::result::Result<(), ::types::OutOfRange> {
                    #(#checks)*
                    #joint
                    ::std::result::Result::Ok(())
                }
            }
        };
    })
}

/// `#[settings(check = PATH)]`: a check of several fields together.
fn checks_of_type(attributes: &[Attribute]) -> Result<TokenStream> {
    let mut checks = TokenStream::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("settings")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("check") {
                return Err(meta.error("no such option of SettingGroup"));
            }
            let check: Path = meta.value()?.parse()?;
            checks.extend(quote!(#check(self)?;));
            Ok(())
        })?;
    }
    Ok(checks)
}

/// What the attributes of a field say.
#[derive(Default)]
struct Options {
    field: Option<Ident>,
    /// The name in settings.
    name: String,
    /// The comment of the field, on one line.
    text: String,
    default: Option<Expr>,
    /// The least and the most.
    range: Option<(TokenStream, TokenStream)>,
    least: Option<Expr>,
    check: Option<Path>,
    main: bool,
    no_effect: bool,
    holds: Holds,
}

/// What a field holds.
#[derive(Default)]
enum Holds {
    #[default]
    Setting,
    /// Settings of another type that stand among those of this one.
    Part,
    /// Settings of another type, below the name of the field.
    Section,
    /// Only a default.
    Nothing,
}

impl Options {
    fn read(field: &Field) -> Result<Self> {
        let mut own = Self {
            field: field.ident.clone(),
            name: field.ident.as_ref().map(ToString::to_string).unwrap_or_default(),
            text: comment(&field.attrs),
            ..Self::default()
        };
        for attribute in &field.attrs {
            if attribute.path().is_ident("setting") {
                attribute.parse_nested_meta(|meta| {
                    let name = meta.path.require_ident()?.to_string();
                    match name.as_str() {
                        "default" => own.default = Some(meta.value()?.parse()?),
                        "range" => own.range = Some(range(meta.value()?)?),
                        "least" => own.least = Some(meta.value()?.parse()?),
                        "check" => own.check = Some(meta.value()?.parse()?),
                        "main" => own.main = true,
                        "no_effect" => own.no_effect = true,
                        "section" => own.holds = Holds::Section,
                        "skip" => own.holds = Holds::Nothing,
                        _ => return Err(meta.error("no such option of SettingGroup")),
                    }
                    Ok(())
                })?;
            } else if attribute.path().is_ident("serde") {
                attribute.parse_nested_meta(|meta| {
                    if meta.path.is_ident("flatten") {
                        own.holds = Holds::Part;
                    } else if meta.path.is_ident("skip") {
                        own.holds = Holds::Nothing;
                    } else if meta.path.is_ident("rename") {
                        own.name = meta.value()?.parse::<LitStr>()?.value();
                    } else if meta.input.peek(Token![=]) {
                        meta.value()?.parse::<Expr>()?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(own)
    }

    fn default_value(&self) -> TokenStream {
        match &self.default {
            None => quote!(::std::default::Default::default()),
            Some(text @ Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) => {
                quote!(::std::convert::From::from(#text))
            }
            Some(value) => quote!(#value),
        }
    }

    /// What is allowed, in words.
    fn limit(&self) -> TokenStream {
        match (&self.range, &self.least) {
            (Some((start, end)), _) => {
                quote!(::std::option::Option::Some(::std::format!("from {} to {}", #start, #end)))
            }
            (None, Some(least)) => quote!(::std::option::Option::Some(::std::format!("at least {}", #least))),
            (None, None) => quote!(::std::option::Option::None),
        }
    }

    fn checks(&self) -> Vec<TokenStream> {
        let (name, field) = (&self.name, &self.field);
        let allowed = match (&self.range, &self.least) {
            (Some((least, most)), _) => Some(quote!((#least..=#most).contains(&self.#field))),
            (None, Some(least)) => Some(quote!(self.#field >= #least)),
            (None, None) => None,
        };
        let limit = self.limit();
        let range = allowed.map(|allowed| {
            quote! {
                if !(#allowed) {
                    let limit = #limit.unwrap_or_default();
                    return ::std::result::Result::Err(::types::OutOfRange::new(#name, &self.#field, limit));
                }
            }
        });
        let check = self.check.as_ref().map(|check| {
            quote! {
                if let ::std::result::Result::Err((value, limit)) = #check(&self.#field) {
                    return ::std::result::Result::Err(::types::OutOfRange::new(#name, value, limit));
                }
            }
        });
        range.into_iter().chain(check).collect()
    }
}

/// `A..=B`, by tokens: whether syn reads it as one expression depends on its features.
fn range(input: ParseStream<'_>) -> Result<(TokenStream, TokenStream)> {
    let mut least = TokenStream::new();
    while !input.peek(Token![..=]) {
        least.extend([input.parse::<TokenTree>()?]);
    }
    input.parse::<Token![..=]>()?;
    let mut most = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        most.extend([input.parse::<TokenTree>()?]);
    }
    Ok((least, most))
}

/// The lines of documentation of a field, joined.
fn comment(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}
